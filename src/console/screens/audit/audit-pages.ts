import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { AuditEntryView, AuditPage } from '../../../contracts/console/audit-views.ts';
import { call } from '../../client/call.ts';
import { everywhere } from '../../client/queries.ts';

const pagesKey = 'list-project-audit';

export interface AuditQuery {
  /** In the organisation's log: only entries of this project. */
  readonly project?: string | undefined;
  /** `member:ID`, `token:ID`, `operator` or `anonymous`. */
  readonly actor?: string | undefined;
  readonly flag?: string | undefined;
  readonly environment?: string | undefined;
  readonly action?: string | undefined;
  /** Unix milliseconds as decimals; `from` included, `to` excluded. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The audit log page by page, newest first. @param projectId null for the whole organisation's */
export function useAuditPages(projectId: string | null, filter: AuditQuery) {
  return useInfiniteQuery({
    queryKey: [projectId ?? everywhere, pagesKey, filter] as const,
    queryFn: ({ pageParam, signal }): Promise<AuditPage> => {
      const query = { ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) };
      if (projectId === null) return call('list-audit', {}, null, { query, signal });
      return call('list-project-audit', { projectId }, null, { query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Every entry of the project and its organisation that this window has read, under any filter. */
export function useSeenEntries(
  projectId: string,
  isOfOrganisation: boolean,
  filter: AuditQuery,
): readonly AuditEntryView[] {
  const client = useQueryClient();
  // For its subscription: the caller is rendered again when more entries arrive.
  useAuditPages(isOfOrganisation ? null : projectId, filter);
  const seen = client.getQueriesData<InfiniteData<AuditPage>>({
    predicate: ({ queryKey: [scope, name] }) =>
      name === pagesKey && (scope === projectId || scope === everywhere),
  });
  return seen.flatMap(([, data]) => data?.pages ?? []).flatMap(({ entries }) => entries);
}
