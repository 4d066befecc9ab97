import { ProblemList, shown } from '../domain/problem-list.ts';
import { decodeQuery } from '../support/query-string.ts';

type QueryReading =
  | { readonly ok: true; readonly query: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly detail: string };

const noQuery: QueryReading = { ok: true, query: {} };

/** Reads a query in which every name must be known and given once. @param raw as received */
export function readConsoleQuery(raw: string, known: readonly string[]): QueryReading {
  if (raw === '') return noQuery;
  const problems = new ProblemList();
  const query = new Map<string, string>();
  for (const { name, value, fault } of decodeQuery(raw)) {
    if (name === null || value === null || fault !== null) {
      problems.add(() => 'a query parameter cannot be decoded: percent-encode it as UTF-8');
    } else if (!known.includes(name)) problems.add(() => `unknown query parameter "${shown(name)}"`);
    else if (query.has(name)) problems.add(() => `query parameter "${name}" is given more than once`);
    else query.set(name, value);
  }
  return problems.isEmpty
    ? { ok: true, query: Object.fromEntries(query) }
    : { ok: false, detail: problems.detail() };
}
