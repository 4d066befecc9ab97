import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditPage } from '../../../contracts/console/console-views.ts';
import { call } from '../../client/call.ts';
import { everywhere } from '../../client/queries.ts';

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly flag?: string | undefined;
  readonly environment?: string | undefined;
  readonly action?: string | undefined;
  /** Unix milliseconds as decimals; `from` included, `to` excluded. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The audit log page by page, newest first. @param projectId null for the whole organisation's */
export function useAuditPages(projectId: string | null, filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: [projectId ?? everywhere, 'list-project-audit', filter] as const,
    queryFn: ({ pageParam, signal }): Promise<AuditPage> => {
      const query = { ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) };
      if (projectId === null) return call('list-audit', {}, null, { query, signal });
      return call('list-project-audit', { projectId }, null, { query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
