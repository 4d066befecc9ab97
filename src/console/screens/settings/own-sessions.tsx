import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionRow } from '../../../contracts/console/session-views.ts';
import { call } from '../../client/call.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { sessionsQuery } from '../../client/queries.ts';
import { DataList } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { showFailure } from '../../parts/show-failure.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { deviceWords } from './device-words.ts';

function EndSession({ session }: { readonly session: SessionRow }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => call('end-session', { sessionId: session.id }, null),
    onError: showFailure,
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  if (session.isCurrent) return <Mark tone="on">this session</Mark>;
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`End the session from ${session.address}`}
      loading={end.isPending}
      onClick={() => end.mutate()}
    >
      End
    </Button>
  );
}

export function OwnSessions() {
  const sessions = useQuery(sessionsQuery);
  return (
    <Panel title="Sessions" isFlush={sessions.data !== undefined}>
      {sessions.isPending && <PageLoading what="sessions" />}
      {isUnreadable(sessions) && <PageError error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data !== undefined && (
        <DataList
          isFlush
          label="Sessions"
          rows={sessions.data.sessions}
          rowKey={({ id }) => id}
          columns={[
            {
              header: 'Where',
              cell: ({ userAgent }) => <span title={userAgent}>{deviceWords(userAgent)}</span>,
            },
            { header: 'Address', cell: ({ address }) => address },
            { header: 'Began', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
            { header: 'Last seen', cell: ({ lastSeenAt }) => <TimeAgo at={lastSeenAt} /> },
            { header: 'Ends', cell: ({ endsAt }) => <TimeAgo at={endsAt} /> },
            { header: 'Actions', isActions: true, cell: (session) => <EndSession session={session} /> },
          ]}
        />
      )}
    </Panel>
  );
}
