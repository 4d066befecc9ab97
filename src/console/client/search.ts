import { type QueryClient, type QueryFunctionContext, queryOptions } from '@tanstack/react-query';
import type { ConsoleFlagView, FlagPage } from '../../contracts/console/flag-views.ts';
import { call } from './call.ts';
import { pageOfFlag } from './flag-list.ts';
import { type Found, firstFound, foundAgain, lostFlags, withStoredFlags } from './found-rows.ts';
import { everywhere } from './queries.ts';

export const searchLengthMax = 200;
/** Answers are kept only so that deleting a letter shows the former ones at once. */
const keptMs = 30_000;
const searchKey = [everywhere, 'search-console'] as const;

type SearchKey = readonly [...typeof searchKey, params: object, query: { q: string; project?: string }];

async function readSearch({ client, queryKey, signal }: QueryFunctionContext<SearchKey>): Promise<Found> {
  const answer = await call('search-console', {}, null, { query: queryKey[3], signal });
  const before = client.getQueryData<Found>(queryKey);
  if (before === undefined) return firstFound(answer);
  const lost = Array.from(lostFlags(before, answer), ([projectId, ids]) => readFlags(projectId, ids, signal));
  const pages = await Promise.all(lost);
  return foundAgain(client.getQueryData<Found>(queryKey) ?? before, answer, pages.flat());
}

/** @returns no page if the flags cannot be read: the project may be gone */
async function readFlags(
  projectId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly FlagPage[]> {
  try {
    const query = { ids: ids.join(',') };
    return [await call('list-console-flags', { projectId }, null, { query, signal })];
  } catch {
    return [];
  }
}

/**
 * Flags, audiences, environments and projects whose name or id has each word of the text; without a text, flags that
 * are on in production. An answer that a later text has overtaken is dropped. Read again, it keeps its rows' places.
 *
 * @param projectId null for all projects
 */
export function searchQuery(text: string, projectId: string | null = null) {
  const q = text.trim().slice(0, searchLengthMax);
  const query = projectId === null ? { q } : { q, project: projectId };
  const queryKey: SearchKey = [...searchKey, {}, query];
  return queryOptions({
    queryKey,
    queryFn: readSearch,
    staleTime: 0,
    gcTime: keptMs,
    // Rows would move while somebody points at them.
    refetchOnWindowFocus: false,
  });
}

/** Shows a flag's new stored state in all that was found. */
export function showFoundFlag(client: QueryClient, flag: ConsoleFlagView): void {
  const page = pageOfFlag(flag);
  client.setQueriesData<Found>({ queryKey: searchKey }, (found) => found && withStoredFlags(found, page));
}

/** Forgets searches that are not shown: the next ones have the order of their own first answer. */
export function forgetSearches(client: QueryClient): void {
  client.removeQueries({ queryKey: searchKey, type: 'inactive' });
}
