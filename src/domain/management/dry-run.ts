import { type ProblemList, shown } from '../problem-list.ts';
import { type ManagementQuery, readParameter } from './management-query.ts';

/**
 * Whether the write is only tried (`dryRun=true`). A typing error must not write: another value, or a name that differs
 * only in case, is a problem. Repetition and decoding are `addQueryProblems`'s.
 */
export function readDryRun(query: ManagementQuery, problems: ProblemList): boolean {
  for (const { name } of query) {
    if (name === null || name === 'dryRun' || name.toLowerCase() !== 'dryrun') continue;
    problems.add(() => `unknown query parameter "${shown(name)}": write it dryRun`);
  }
  const { value } = readParameter(query, 'dryRun');
  if (value !== null && value !== 'true' && value !== 'false') {
    problems.add(() => 'query parameter "dryRun" must be true or false');
  }
  return value === 'true';
}
