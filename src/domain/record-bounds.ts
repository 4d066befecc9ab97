import { utf8Length } from '../support/utf8.ts';
import {
  audienceBytesMax,
  flagCohortBytesMax,
  flagsMax,
  flagViewBytesMax,
  projectRecordBytesMax,
} from './bounds.ts';
import type { Audience } from './evaluation/audience.ts';
import { effectiveCohorts, type Flag, stateIn } from './flag/flag.ts';
import { type ProblemList, shown } from './problem-list.ts';
import type { Project } from './project/project.ts';
import type { RecordQueries } from './record-queries.ts';

type BoundQueries = Pick<RecordQueries, 'projectRecords'>;

const useAudience = 'use an audience attribute for these users instead of listing them';
/** Upper estimates of JSON: a control character of one byte becomes six, and each item has two quotes and a comma. */
const [jsonBytesPerByte, jsonBytesPerItem] = [6, 3];
/** An environment's name and settings, and the flag's own fields, as JSON. */
const [viewBytesPerEnvironment, viewBytesPerFlag] = [512, 4096];
/** A length in front of each text of a record. */
const bytesPerText = 2;
/** Ids, times and the settings of a new record. */
const bytesPerRecord = 128;

/**
 * Adds the problems of a flag that would be stored.
 *
 * @param before null for a new flag; only lists that it does not have are checked
 * @param field name of the field with the lists in messages
 */
export function addFlagBoundProblems(
  queries: BoundQueries,
  project: Project,
  before: Flag | null,
  after: Flag,
  field: string,
  problems: ProblemList,
): void {
  const lists = newListsOf(before, after);
  for (const list of lists) addPaddingProblems(list, before, field, problems);
  if (lists.length > 0) addListProblems(project, after, field, problems);
  const growth = lists.reduce((sum, list) => sum + textBytes(list), 0) + labelBytes(after);
  const replaced = before === null ? -bytesPerRecord : replacedBytes(before, after);
  addProjectProblems(queries, project, before === null, growth - replaced, field, problems);
}

/** The lists of a flag that the flag before did not have. */
function newListsOf(before: Flag | null, after: Flag): readonly (readonly string[])[] {
  const known = new Set(before === null ? [] : listsOf(before));
  return listsOf(after).filter((list) => list.length > 0 && !known.has(list));
}

/**
 * A cohort with white space around it matches no caller; it comes from a file with CRLF or indented lines. One that the
 * flag has already is kept, so that a list can be read, changed and written back.
 */
function addPaddingProblems(
  list: readonly string[],
  before: Flag | null,
  field: string,
  problems: ProblemList,
): void {
  const padded = list.filter((cohort) => cohort.trim() !== cohort);
  if (padded.length === 0) return;
  const known = new Set(before === null ? [] : listsOf(before).flat());
  for (const cohort of padded) {
    if (known.has(cohort)) continue;
    problems.add(
      () =>
        `${field}: the cohort ${JSON.stringify(shown(cohort))} begins or ends with white space; send it without`,
    );
  }
}

/** The bytes of the lists and labels that `after` does not have any more. */
function replacedBytes(before: Flag, after: Flag): number {
  const kept = new Set(listsOf(after));
  const lists = listsOf(before).filter((list) => !kept.has(list));
  return lists.reduce((sum, list) => sum + textBytes(list), 0) + labelBytes(before);
}

function listsOf({ cohorts, states }: Flag): (readonly string[])[] {
  const lists = [cohorts];
  for (const { cohortOverride } of states.values()) if (cohortOverride !== null) lists.push(cohortOverride);
  return lists;
}

function labelBytes({ name, aliases, description, tags }: Flag): number {
  return textBytes([name, ...aliases, description, ...tags]);
}

function addListProblems(project: Project, flag: Flag, field: string, problems: ProblemList): void {
  let bytes = 0;
  for (const list of listsOf(flag)) bytes += cohortBytes(list);
  if (bytes > flagCohortBytesMax) {
    problems.add(
      () =>
        `${field}: all lists of this flag together would be ${bytes} bytes of UTF-8, and at most ${flagCohortBytesMax} (1 MiB) are stored; ${useAudience}`,
    );
  } else if (!isViewWithinBound(project, flag)) {
    problems.add(
      () =>
        `${field}: this flag with its ${project.environments.length} environments would be more than ${flagViewBytesMax} bytes (8 MiB) of JSON, because each environment repeats its list; ${useAudience}`,
    );
  }
}

function isViewWithinBound(project: Project, flag: Flag): boolean {
  if (!project.isMultiEnvironment) return true;
  return (
    viewBytes(project, flag, estimatedJsonBytes) <= flagViewBytesMax ||
    viewBytes(project, flag, exactJsonBytes) <= flagViewBytesMax
  );
}

/** Bytes of the flag in the environments form. */
function viewBytes(project: Project, flag: Flag, jsonBytes: (list: readonly string[]) => number): number {
  const known = new Map<readonly string[], number>();
  let bytes = viewBytesPerFlag;
  for (const { number } of project.environments) {
    const list = effectiveCohorts(flag, stateIn(flag, number));
    const listBytes = known.get(list) ?? jsonBytes(list);
    known.set(list, listBytes);
    bytes += viewBytesPerEnvironment + listBytes;
  }
  return bytes;
}

function estimatedJsonBytes(list: readonly string[]): number {
  return cohortBytes(list) * jsonBytesPerByte + list.length * jsonBytesPerItem;
}

function exactJsonBytes(list: readonly string[]): number {
  return utf8Length(JSON.stringify(list));
}

/** Adds the problem of an environment with which a flag would be shown in more than 8 MiB. @param after with it */
export function addEnvironmentBoundProblems(
  queries: Pick<RecordQueries, 'flagsLongerThan'>,
  after: Project,
  field: string,
  problems: ProblemList,
): void {
  const count = after.environments.length;
  // A record has each byte of its lists: most flags need not be read.
  const perEnvironment = (flagViewBytesMax - viewBytesPerFlag) / count - viewBytesPerEnvironment;
  for (const flag of queries.flagsLongerThan(after.id, perEnvironment / jsonBytesPerByte)) {
    if (isViewWithinBound(after, flag)) continue;
    problems.add(
      () =>
        `${field}: with ${count} environments the flag "${shown(flag.name)}" (${flag.id}) would be more than ${flagViewBytesMax} bytes (8 MiB) of JSON, because each environment repeats its list of cohorts; shorten that list, or ${useAudience}`,
    );
    return;
  }
}

/** Adds the problems of an audience that would be stored. @param before null for a new one */
export function addAudienceBoundProblems(
  queries: BoundQueries,
  project: Project,
  before: Audience | null,
  after: Audience,
  field: string,
  problems: ProblemList,
): void {
  const bytes = audienceBytes(after);
  if (bytes > audienceBytesMax && before?.rules !== after.rules) {
    problems.add(
      () =>
        `${field}: the rules of this audience would be ${bytes} bytes of UTF-8, and at most ${audienceBytesMax} (256 KiB) are stored; match an attribute with fewer values, such as a customer's plan instead of each customer`,
    );
    return;
  }
  const replaced = before === null ? -bytesPerRecord : audienceBytes(before);
  addProjectProblems(queries, project, false, bytes - replaced, field, problems);
}

function audienceBytes({ name, rules }: Audience): number {
  let bytes = textBytes([name]);
  for (const { attribute, values } of rules) bytes += textBytes([attribute]) + textBytes(values);
  return bytes;
}

/** @param growth estimate of the bytes that the project's records grow by; the stored total is exact */
function addProjectProblems(
  queries: BoundQueries,
  project: Project,
  isNewFlag: boolean,
  growth: number,
  field: string,
  problems: ProblemList,
): void {
  if (growth <= 0) return;
  const { flags, bytes } = queries.projectRecords(project.id);
  if (isNewFlag && flags >= flagsMax) {
    problems.add(
      () => `this project has ${flagsMax} flags, which is the limit; delete flags that are not used any more`,
    );
  } else if (bytes + growth > projectRecordBytesMax) {
    problems.add(
      () =>
        `${field}: the flags and audiences of this project would be more than ${projectRecordBytesMax} bytes (64 MiB); delete flags that are not used any more, or ${useAudience}`,
    );
  }
}

function cohortBytes(list: readonly string[]): number {
  let bytes = 0;
  for (const text of list) bytes += utf8Length(text);
  return bytes;
}

function textBytes(texts: readonly string[]): number {
  return cohortBytes(texts) + texts.length * bytesPerText;
}
