import { decodeQuery, type QueryParameter } from '../../support/query-string.ts';
import { type ProblemList, shown } from '../problem-list.ts';

/** The query parameters that routes of the Management API know; all others are ignored. */
export type ManagementParameter = 'env' | 'name' | 'dryRun';

/** A query, decoded once and read by several checks. */
export type ManagementQuery = readonly QueryParameter[];

/** A known parameter: not sent, sent with a value, or sent with a problem (its value is null then). */
interface ParameterReading {
  readonly isSent: boolean;
  readonly value: string | null;
}

/** @param raw as received, without the question mark. */
export function parseManagementQuery(raw: string): ManagementQuery {
  return decodeQuery(raw);
}

/** Every decodable value of `env`, in the order sent: the token's limit comes before any other problem. */
export function requestedEnvironments(query: ManagementQuery): string[] {
  return query.flatMap(({ name, value }) => (name === 'env' && value !== null ? [value] : []));
}

/**
 * Adds every problem of decoding, in the order sent: undecodable text in any parameter, and in the parameters that the
 * route knows also a repetition and a raw plus (decisions).
 */
export function addQueryProblems(
  query: ManagementQuery,
  known: readonly ManagementParameter[],
  problems: ProblemList,
): void {
  const counts = new Map<string, number>();
  for (const parameter of query) {
    const { name } = parameter;
    const isKnown = name !== null && (known as readonly string[]).includes(name);
    const count = (counts.get(name ?? '') ?? 0) + 1;
    counts.set(name ?? '', count);
    if (isKnown && count === 2) problems.add(() => `query parameter "${name}" is given more than once`);
    const fault = describeFault(parameter, isKnown);
    if (fault !== null) problems.add(() => `${nameOf(parameter)} ${fault}`);
  }
}

/** @returns the first value of a known parameter. */
export function readParameter(query: ManagementQuery, name: ManagementParameter): ParameterReading {
  const sent = query.filter((parameter) => parameter.name === name);
  const value = sent.length === 1 && describeFault(sent[0], true) === null ? (sent[0]?.value ?? null) : null;
  return { isSent: sent.length > 0, value };
}

function describeFault(parameter: QueryParameter | undefined, isKnown: boolean): string | null {
  if (parameter === undefined) return null;
  if (parameter.fault === 'raw-character') return 'has a character outside ASCII: percent-encode it as UTF-8';
  if (parameter.fault === 'escape') {
    return 'cannot be decoded: a % must begin the percent-encoded bytes of UTF-8 text (a percent sign is %25)';
  }
  if (!isKnown || !parameter.rawValue.includes('+')) return null;
  return 'has an unencoded +: encode a plus as %2B and a space as %20';
}

function nameOf({ name }: QueryParameter): string {
  return name === null ? 'the name of a query parameter' : `query parameter "${shown(name)}"`;
}
