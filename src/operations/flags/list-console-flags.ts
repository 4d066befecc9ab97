import { type FlagRow, flagPageSchema, flagRow, type StateKind } from '../../contracts/console/flag-views.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { environmentNumbers, type Project } from '../../domain/project/project.ts';
import type { FlagPlace, RecordQueries } from '../../domain/record-queries.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type ConsoleRequest, consoleRead, inProject } from '../operation.ts';
import { cursorOf, placeOf } from './flag-cursor.ts';

/** Flags of a page, unless the request has another number. */
const pageFlags = 200;
const pageFlagsMax = 1000;
/** Flags that a request asks for by their ids. */
const idsMax = 100;
/** A page ends early when it has this many distinct states: they stay in memory until its end. */
const pageKindsMax = 8192;

/**
 * A page of the project's flags by name, then id: `limit` of them, those behind the place `after`. Or those of `ids`
 * that exist, in the requested order. Rows are read while the answer is sent.
 */
export const listConsoleFlags = consoleRead('list-console-flags', {
  route: 'GET /projects/{projectId}/flags',
  inPieces: true,
  access: inProject('viewer'),
  query: ['limit', 'after', 'ids'],
  answer: flagPageSchema,
  run: (queries, request, { project }) => {
    const problems = new ProblemList();
    const asked = readAsked(request, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return succeed({
      pieces: { contentType: 'application/json', text: pagePieces(queries, project, asked) },
    });
  },
});

/** What a request asks for. */
interface Asked {
  readonly limit: number;
  /** Null: from the beginning. */
  readonly after: FlagPlace | null;
  /** Null: a page. */
  readonly ids: readonly string[] | null;
}

function readAsked({ query }: ConsoleRequest, problems: ProblemList): Asked {
  const { limit, after, ids } = query;
  if (ids !== undefined && (limit ?? after) !== undefined) {
    problems.add(() => 'ids cannot be combined with limit or after');
  }
  return {
    limit: readLimit(limit, problems),
    after: readAfter(after, problems),
    ids: readIds(ids, problems),
  };
}

function readLimit(text: string | undefined, problems: ProblemList): number {
  if (text === undefined) return pageFlags;
  const limit = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN;
  if (limit <= pageFlagsMax) return limit;
  problems.add(() => `limit must be a whole number from 1 to ${pageFlagsMax}`);
  return pageFlags;
}

function readAfter(text: string | undefined, problems: ProblemList): FlagPlace | null {
  if (text === undefined) return null;
  const place = placeOf(text);
  if (place === null) problems.add(() => 'after must be the next of a page, unchanged');
  return place;
}

function readIds(text: string | undefined, problems: ProblemList): readonly string[] | null {
  if (text === undefined) return null;
  const ids = text.split(',', idsMax + 1);
  if (ids.length > idsMax) problems.add(() => `ids must be at most ${idsMax}`);
  else if (!ids.every(isIdShaped)) problems.add(() => 'ids must be ids of flags, separated by commas');
  return [...new Set(ids)];
}

/** The distinct states of a page, in the order in which they first occur. */
class StateKinds {
  readonly #indexes = new Map<string, number>();
  readonly list: StateKind[] = [];

  indexOf(state: StateKind): number {
    const { enabled, trafficPercentage, cohortOverrideCount, audienceId } = state;
    const key = `${enabled} ${trafficPercentage} ${cohortOverrideCount} ${audienceId}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.list.length);
    return this.list.push(state) - 1;
  }
}

/** The rows come first, one in each piece, because the kinds are known after them. */
function* pagePieces(queries: RecordQueries, project: Project, asked: Asked): Generator<string> {
  const kinds = new StateKinds();
  let next: FlagPlace | null = null;
  let count = 0;
  let opening = `{"environments":${JSON.stringify(environmentNumbers(project))},"flags":[`;
  let last: FlagRow | null = null;
  for (const flag of flagsAsked(queries, project, asked)) {
    if (count === asked.limit || kinds.list.length >= pageKindsMax) {
      next = last;
      break;
    }
    last = flagRow(flag, project, (state) => kinds.indexOf(state));
    yield opening + JSON.stringify(last);
    opening = ',';
    count += 1;
  }
  yield count === 0 ? `${opening}],"kinds":[` : '],"kinds":[';
  for (const [index, kind] of kinds.list.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(kind);
  yield `],"next":${next === null ? 'null' : JSON.stringify(cursorOf(next))}}`;
}

function flagsAsked(queries: RecordQueries, project: Project, { after, ids }: Asked): Iterable<Flag> {
  if (ids !== null) return flagsById(queries, project, ids);
  return after === null ? queries.flagsOf(project.id) : queries.flagsAfter(project.id, after);
}

/** A flag of another project is left out, like one that was deleted. */
function* flagsById(queries: RecordQueries, project: Project, ids: readonly string[]): Generator<Flag> {
  for (const id of ids) {
    const flag = queries.flag(id);
    if (flag?.projectId === project.id) yield flag;
  }
}
