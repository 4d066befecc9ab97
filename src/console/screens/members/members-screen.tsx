import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { membersQuery } from '../../client/queries.ts';
import { DataList } from '../../parts/data-list.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { useSession } from '../../shell/use-session.ts';
import { Invitations } from './invitations.tsx';
import { InviteMember } from './invite-member.tsx';
import { LinkOnce } from './link-once.tsx';
import { memberColumns } from './member-columns.tsx';
import type { ShownLink } from './shown-link.ts';

function NoMembers() {
  return (
    <>
      <PageHeader title="Members" />
      <PageEmpty title="You belong to no organisation">
        Your projects are yours alone. An invitation of an organisation makes you a member there.
      </PageEmpty>
    </>
  );
}

export function MembersScreen() {
  return useSession().organisation === null ? <NoMembers /> : <OrganisationMembers />;
}

function OrganisationMembers() {
  const { member } = useSession();
  const isAdmin = hasRole(member.role, 'admin');
  const members = useQuery(membersQuery);
  const [isInviting, invite] = useDisclosure(false);
  const [shown, setShown] = useState<ShownLink | null>(null);
  return (
    <>
      <PageHeader title="Members" actions={isAdmin && <Button onClick={invite.open}>Invite member</Button>}>
        Viewers read. Editors change flags and audiences, and create tokens. Admins manage environments,
        members and every token, too. Owners also manage the organisation.
      </PageHeader>
      {members.isPending && <PageLoading what="members" />}
      {isUnreadable(members) && <PageError error={members.error} onRetry={() => void members.refetch()} />}
      {members.data !== undefined && (
        <Stack gap="xl">
          <DataList
            label="Members"
            rows={members.data.members}
            rowKey={({ id }) => id}
            columns={memberColumns(member, members.data.members, setShown)}
          />
          {isAdmin && <Invitations />}
        </Stack>
      )}
      {isInviting && <InviteMember onMade={setShown} onClose={invite.close} />}
      {shown !== null && <LinkOnce {...shown} onClose={() => setShown(null)} />}
    </>
  );
}
