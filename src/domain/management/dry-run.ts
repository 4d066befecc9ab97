import { closestName } from '../../support/closest-name.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import { type ManagementParameter, type ManagementQuery, readParameter } from './management-query.ts';

/**
 * Names that are compared with `dryRun`: each comparison takes microseconds of the writer's thread, for which all changes
 * wait.
 */
const comparisonsMax = 64;
const tooMany = `the query has more than ${comparisonsMax} parameters, or parts of their values, that are not known here: one could be meant as dryRun`;

/**
 * Whether the write is only tried (`dryRun=true`). A typo must not write: another value is a problem, and so is
 * an unknown parameter that may be meant as `dryRun`. `addQueryProblems` checks repetition and decoding.
 *
 * @param known the route's other parameters: any value of them is allowed
 */
export function readDryRun(
  query: ManagementQuery,
  known: readonly ManagementParameter[],
  problems: ProblemList,
): boolean {
  let comparisonsLeft = comparisonsMax;
  for (const { name, value } of query) {
    if (name === null || (known as readonly string[]).includes(name)) continue;
    const behind = (value ?? '').split(/[;&]/, comparisonsMax + 1).slice(1);
    comparisonsLeft -= 1 + behind.length;
    const isMeant = isMeantAsDryRun(name) || hidesDryRun(value ?? '', behind);
    if (isMeant) problems.add(() => `unknown query parameter "${shown(name)}": write it dryRun`);
    if (comparisonsLeft >= 0) continue;
    // A parameter that was not compared may be a typo, too.
    if (!isMeant) problems.add(() => tooMany);
    break;
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

/**
 * Whether the parameter is hidden in another one's value, after a character that does not separate parameters. @param
 * behind its parts there
 */
function hidesDryRun(value: string, behind: readonly string[]): boolean {
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
