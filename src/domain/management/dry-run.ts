import { type ProblemList, shown } from '../problem-list.ts';
import { type ManagementQuery, readParameter } from './management-query.ts';

/**
 * Whether the write is only tried (`dryRun=true`). A typing error must not write: another value, or a name that differs
 * only in case, punctuation or spaces, is a problem. Repetition and decoding are `addQueryProblems`'s.
 */
export function readDryRun(query: ManagementQuery, problems: ProblemList): boolean {
  for (const { name } of query) {
    if (name === null || name === 'dryRun' || !isMeantAsDryRun(name)) continue;
    problems.add(() => `unknown query parameter "${shown(name)}": write it dryRun`);
  }
  const { value } = readParameter(query, 'dryRun');
  if (value !== null && value !== 'true' && value !== 'false') {
    problems.add(() => 'query parameter "dryRun" must be true or false');
  }
  return value === 'true';
}

/** `dryrun`, `dry-run`, `dry_run`, `dryRun[]` and the like. */
function isMeantAsDryRun(name: string): boolean {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '') === 'dryrun';
}
