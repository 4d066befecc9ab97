import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { InvitationRow } from '../../../contracts/console/member-views.ts';
import { call } from '../../client/call.ts';
import { invitationsQuery } from '../../client/queries.ts';
import { DataList } from '../../parts/data-list.tsx';
import { Failure } from '../../parts/failure.tsx';
import { showNotice } from '../../parts/notices.ts';
import { roleWord } from '../../parts/role-word.ts';
import { showFailure } from '../../parts/show-failure.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import classes from './members.module.css';

function Withdraw({ invitation }: { readonly invitation: InvitationRow }) {
  const client = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => call('withdraw-invitation', { linkId: invitation.id }, null),
    onError: showFailure,
    onSuccess: () => {
      showNotice({ tone: 'done', message: `Withdrew the invitation of ${invitation.email}.` });
      void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    },
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Withdraw the invitation of ${invitation.email}`}
      loading={withdraw.isPending}
      onClick={() => withdraw.mutate()}
    >
      Withdraw
    </Button>
  );
}

/** Invitations that nobody has used yet; nothing without any. */
export function Invitations() {
  const invitations = useQuery(invitationsQuery);
  const rows = invitations.data?.invitations ?? [];
  if (invitations.isLoadingError) return <Failure error={invitations.error} />;
  if (rows.length === 0) return null;
  return (
    <section aria-label="Invitations">
      <h2 className={classes.title}>Invitations</h2>
      <DataList
        label="Invitations"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Email', cell: ({ email }) => email },
          { header: 'Role', cell: ({ role }) => roleWord(role) },
          { header: 'Invited by', cell: ({ createdByName }) => createdByName ?? '–' },
          { header: 'Expires', cell: ({ expiresAt }) => <TimeAgo at={expiresAt} /> },
          { header: 'Actions', isActions: true, cell: (row) => <Withdraw invitation={row} /> },
        ]}
      />
    </section>
  );
}
