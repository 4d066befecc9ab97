import type { QueryClient } from '@tanstack/react-query';
import type { ConsoleFlagView } from '../../contracts/console/flag-views.ts';
import { call } from './call.ts';
import { type KnownFlags, nextRound, pageOfFlag, withFlags, withPage } from './flag-list.ts';

/** Enough to fill a window. */
const firstPageFlags = '100';
/** The most flags that the service returns at once. */
const pageFlags = '1000';
/** The most flags that the service returns by their ids. */
export const changedFlagsMax = 100;

/** The key in `queries.ts`, which imports this module. */
type ListKey = readonly [projectId: string, operation: 'list-console-flags', params: object];

/** The reading under way of each list. Its query does not end it, so that it goes on while another page is shown. */
const readings = new WeakMap<QueryClient, Map<string, AbortController>>();

function beginReading(client: QueryClient, projectId: string): AbortSignal {
  const ofClient = readings.get(client) ?? new Map<string, AbortController>();
  readings.set(client, ofClient);
  ofClient.get(projectId)?.abort();
  const controller = new AbortController();
  ofClient.set(projectId, controller);
  return controller.signal;
}

/**
 * Reads a project's flags: a first page for the screen, then the rest in long pages. After each page the query has all
 * known flags. After a failure it continues where it was.
 */
export async function readFlagList(client: QueryClient, queryKey: ListKey): Promise<KnownFlags> {
  const [projectId] = queryKey;
  const signal = beginReading(client, projectId);
  const state = client.getQueryState<KnownFlags>(queryKey);
  const known = state?.data;
  const goesOn = known !== undefined && known.next !== null && state?.isInvalidated === false;
  let list = goesOn ? known : nextRound(known);
  let isOutdated = false;
  if (known !== undefined) client.setQueryData(queryKey, list);
  while (list.next !== null) {
    const limit = list.flags.length === 0 ? firstPageFlags : pageFlags;
    const query = list.next === '' ? { limit } : { limit, after: list.next };
    const page = await call('list-console-flags', { projectId }, null, { query, signal });
    signal.throwIfAborted();
    // A change may have been reported meanwhile.
    const present = client.getQueryState<KnownFlags>(queryKey);
    isOutdated ||= present?.isInvalidated === true && present.data !== undefined;
    list = withPage(present?.data ?? list, page);
    if (list.next !== null) {
      client.setQueryData(queryKey, list);
      await yieldToBrowser();
    }
  }
  // The end of a reading counts as an answer to every invalidation before it.
  if (isOutdated) setTimeout(() => void client.invalidateQueries({ queryKey, exact: true }));
  return list;
}

/** Between two pages the browser draws, and handles input. */
function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function changeList(client: QueryClient, queryKey: ListKey, change: (list: KnownFlags) => KnownFlags): void {
  const state = client.getQueryState<KnownFlags>(queryKey);
  if (state?.data === undefined) return;
  const { isInvalidated } = state;
  client.setQueryData(queryKey, change(state.data));
  if (isInvalidated) void client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
}

/** Reads flags of a list that others have changed; after a failure the whole list. */
export async function readChangedFlags(
  client: QueryClient,
  queryKey: ListKey,
  ids: readonly string[],
): Promise<void> {
  const [projectId] = queryKey;
  try {
    const page = await call('list-console-flags', { projectId }, null, { query: { ids: ids.join(',') } });
    changeList(client, queryKey, (list) => withFlags(list, ids, page));
  } catch {
    await client.invalidateQueries({ queryKey, exact: true });
  }
}

/** Shows the member's own change, or creation, of a flag in the list. */
export function showFlag(client: QueryClient, flag: ConsoleFlagView): void {
  const { id, projectId } = flag;
  changeList(client, listKey(projectId), (list) => withFlags(list, [id], pageOfFlag(flag)));
}

/** The member has deleted a flag. */
export function dropFlag(client: QueryClient, projectId: string, id: string): void {
  const page = { environments: [], kinds: [], flags: [], next: null };
  changeList(client, listKey(projectId), (list) => withFlags(list, [id], page));
}

export function listKey(projectId: string): ListKey {
  return [projectId, 'list-console-flags', { projectId }];
}
