import { closestName } from '../../support/closest-name.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import { type ManagementParameter, type ManagementQuery, readParameter } from './management-query.ts';

/**
 * Whether the write is only tried (`dryRun=true`). A typing error must not write: another value is a problem, and so is
 * an unknown parameter that may be meant as `dryRun`. `addQueryProblems` checks repetition and decoding.
 *
 * @param known the route's other parameters: any value of them is allowed
 */
export function readDryRun(
  query: ManagementQuery,
  known: readonly ManagementParameter[],
  problems: ProblemList,
): boolean {
  for (const { name, value } of query) {
    if (name === null || (known as readonly string[]).includes(name)) continue;
    if (!isMeantAsDryRun(name) && !hidesDryRun(value ?? '')) continue;
    problems.add(() => `unknown query parameter "${shown(name)}": write it dryRun`);
  }
  const { value } = readParameter(query, 'dryRun');
  if (value !== null && value !== 'true' && value !== 'false') {
    problems.add(() => 'query parameter "dryRun" must be true or false');
  }
  return value === 'true';
}

/** Matches `dryrun`, `dry-run[]`, `amp;dryRun`, `dryRun%3Dtrue`, `dyrRun`, full-width letters and the like. */
function isMeantAsDryRun(name: string): boolean {
  return hasDryRun(name) || closestName(folded(name), ['dryrun']) !== null;
}

function hasDryRun(text: string): boolean {
  return folded(text).includes('dryrun');
}

/** Whether a value has swallowed the parameter, behind a separator that is none. */
function hidesDryRun(value: string): boolean {
  const behind = value.split(/[;&]/).slice(1);
  return hasDryRun(value) || behind.some((part) => isMeantAsDryRun(part.split('=', 1)[0] ?? ''));
}

/** The letters alone, without case, accents and width; percent-encoded twice or not. */
function folded(text: string): string {
  const decoded = text.replaceAll(/%([2-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '');
}
