import { type QueryClient, type QueryFunctionContext, queryOptions } from '@tanstack/react-query';
import type { ConsoleFlagView } from '../../contracts/console/flag-views.ts';
import type { FoundFlagView, SearchAnswer, SearchResult } from '../../contracts/console/search-views.ts';
import { call } from './call.ts';
import { everywhere } from './queries.ts';

/** A result of a search that is shown. */
export type FoundRow = SearchResult & {
  /** Whether it was a flag that is on in production when it was found. It decides the order. */
  readonly wasOn: boolean;
};

/** The results of a search, in the order in which they are shown. */
export interface Found {
  readonly results: readonly FoundRow[];
  /** Whether the results are complete; false when a bound was reached. */
  readonly isComplete: boolean;
}

export const searchLengthMax = 200;
/** Answers are kept only so that deleting a letter shows the former ones at once. */
const keptMs = 30_000;
const searchKey = [everywhere, 'search-console'] as const;

/** Names a result among all: `flag/ID`. */
export function resultId(result: SearchResult): string {
  const { kind } = result;
  return kind === 'environment' ? `${kind}/${result.projectId}/${result.number}` : `${kind}/${result.id}`;
}

function isOn(result: SearchResult): boolean {
  return result.kind === 'flag' && result.states.some(({ enabled }) => enabled);
}

/**
 * The rows of an answer. Rows that are shown already keep their order, and new ones come last: nothing moves under the
 * pointer. A flag that was just switched off stays too, although the search no longer finds it.
 *
 * @param shown undefined when the search is answered for the first time
 */
export function foundRows({ results, isComplete }: SearchAnswer, shown: Found | undefined): Found {
  if (shown === undefined) {
    return { results: results.map((result) => ({ ...result, wasOn: isOn(result) })), isComplete };
  }
  const found = new Map(results.map((result) => [resultId(result), result]));
  const rows: FoundRow[] = [];
  for (const row of shown.results) {
    const now = found.get(resultId(row));
    found.delete(resultId(row));
    if (now !== undefined) rows.push(isNewer(row, now) ? row : { ...now, wasOn: row.wasOn });
    else if (row.wasOn && !isOn(row)) rows.push(row);
  }
  for (const added of found.values()) rows.push({ ...added, wasOn: false });
  return { results: rows, isComplete };
}

/** The member's own switch may be answered while a search is under way, which has the state before it. */
function isNewer(row: SearchResult, other: SearchResult): boolean {
  return row.kind === 'flag' && other.kind === 'flag' && row.revision > other.revision;
}

type SearchKey = readonly [
  ...typeof searchKey,
  params: object,
  query: { q: string; project?: string; also?: string },
];

async function readSearch({ client, queryKey, signal }: QueryFunctionContext<SearchKey>): Promise<Found> {
  const answer = await call('search-console', {}, null, { query: queryKey[3], signal });
  return foundRows(answer, client.getQueryData<Found>(queryKey));
}

/**
 * Flags, audiences, environments and projects whose name or id has each word of the text; without a text, flags that
 * are on in production. An answer that a later text has overtaken is dropped.
 *
 * @param projectId null for all projects
 * @param also ids of flags that are shown without a text, too
 */
export function searchQuery(text: string, projectId: string | null = null, also: readonly string[] = []) {
  const q = text.trim().slice(0, searchLengthMax);
  const query = {
    q,
    ...(projectId === null ? {} : { project: projectId }),
    ...(q !== '' || also.length === 0 ? {} : { also: also.join() }),
  };
  const queryKey: SearchKey = [...searchKey, {}, query];
  return queryOptions({ queryKey, queryFn: readSearch, staleTime: 0, gcTime: keptMs });
}

/** Shows a flag's new stored state in all search results. */
export function showFoundFlag(client: QueryClient, flag: ConsoleFlagView): void {
  client.setQueriesData<Found>({ queryKey: searchKey }, (found) => found && withStoredFlag(found, flag));
}

function withStoredFlag(found: Found, flag: ConsoleFlagView): Found {
  const results = found.results.map((row): FoundRow => {
    if (row.kind !== 'flag' || row.id !== flag.id) return row;
    const states = row.states.map((state): FoundFlagView['states'][number] => {
      const stored = flag.states[state.environment];
      if (stored === undefined) return state;
      const { cohortOverride, ...rest } = stored;
      return { ...state, ...rest, cohortOverrideCount: cohortOverride?.length ?? null };
    });
    const { name, revision, cohorts } = flag;
    return { ...row, name, revision, cohortCount: cohorts.length, states };
  });
  return { ...found, results };
}

/** Forgets searches that are not shown: the next ones have the order of their own first answer. */
export function forgetSearches(client: QueryClient): void {
  client.removeQueries({ queryKey: searchKey, type: 'inactive' });
}
