import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationRow } from '../../../contracts/console/member-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { type Role, roles } from '../../../domain/member/member.ts';
import { call } from '../../client/call.ts';
import { invitationsQuery, membersQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { Failure } from '../../parts/callout.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { newEmailRule } from '../../parts/field-rules.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { roleWord, searchedWords } from '../../parts/words.ts';
import { useSession } from '../../shell/use-session.ts';
import { memberColumns, type ShownLink } from './member-columns.tsx';
import classes from './members.module.css';

function Withdraw({ invitation }: { readonly invitation: InvitationRow }) {
  const client = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => call('withdraw-invitation', { linkId: invitation.id }, null),
    onError: (error) =>
      showFailure(error, {
        what: `Withdrawing the invitation of ${visibleName(invitation.email)}`,
        retry: () => withdraw.mutate(),
      }),
    onSuccess: () => {
      showDone(`Withdrew the invitation of ${visibleName(invitation.email)}.`);
      void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    },
  });
  return (
    <SmallButton
      variant="danger"
      aria-label={`Withdraw the invitation of ${visibleName(invitation.email)}`}
      loading={withdraw.isPending}
      onClick={() => withdraw.mutate()}
    >
      Withdraw
    </SmallButton>
  );
}

/** Unused invitations; nothing if there are none. */
function Invitations() {
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
          { header: 'Email', cell: ({ email }) => <SafeName name={email} /> },
          { header: 'Role', cell: ({ role }) => roleWord(role) },
          { header: 'Invited by', cell: ({ createdByName }) => <SafeName name={createdByName ?? '–'} /> },
          { header: 'Expires', cell: ({ expiresAt }) => <TimeAgo at={expiresAt} /> },
          { header: 'Actions', isActions: true, cell: (row) => <Withdraw invitation={row} /> },
        ]}
      />
    </section>
  );
}

interface InviteMemberProps {
  readonly onMade: (shown: ShownLink) => void;
  readonly onClose: () => void;
}

function InviteMember({ onMade, onClose }: InviteMemberProps) {
  const { member } = useSession();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const invite = useMutation({
    mutationFn: () => call('invite-member', {}, { email, role }),
    onSuccess: (link) => {
      void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
      onClose();
      onMade({ title: `Invitation for ${visibleName(email)}`, email, link });
    },
  });
  const offered = roles.filter((each) => each !== 'owner' || member.role === 'owner');
  const members = useQuery(membersQuery).data?.members ?? [];
  const invitations = useQuery(invitationsQuery).data?.invitations ?? [];
  const taken = [
    ...members.map((each) => ({
      email: each.email,
      who: `${visibleName(each.name)} has this address already.`,
    })),
    ...invitations.map((each) => ({ email: each.email, who: 'This address is invited already.' })),
  ];
  return (
    <FormDialog
      title="Invite member"
      submit="Create invitation link"
      isDirty={email !== ''}
      isBusy={invite.isPending}
      error={invite.error}
      onSubmit={invite.mutate}
      onClose={onClose}
    >
      <TextField
        label="Email"
        type="email"
        required
        data-autofocus
        rule={newEmailRule(taken)}
        value={email}
        onText={setEmail}
      />
      <NativeSelect
        label="Role"
        value={role}
        data={offered.map((each) => ({ value: each, label: roleWord(each) }))}
        onChange={(event) => setRole(roles.find((each) => each === event.currentTarget.value) ?? 'viewer')}
      />
      <Text size="sm" c="dimmed">
        You get a link to send. It works once, within 7 days. Burgee sends no email.
      </Text>
    </FormDialog>
  );
}

/** A one-time link, shown to its maker, who sends it: Burgee does not. */
function LinkOnce({ title, email, link, onClose }: ShownLink & { readonly onClose: () => void }) {
  const { baseUrl } = useSession();
  return (
    <SecretOnce
      title={title}
      what="link"
      secret={link.url}
      note={
        <>
          Send this link to{' '}
          <strong>
            <SafeName name={email} />
          </strong>
          . It works once, until {formatMoment(link.expiresAt)}, and is not shown again.
          {!link.url.startsWith(`${baseUrl}/`) &&
            ' It begins with the address on which Burgee listens: set BURGEE_BASE_URL to the one at which people reach it.'}
        </>
      }
      done="Done"
      onClose={onClose}
    />
  );
}

function NoMembers() {
  return (
    <>
      <PageHead title="Members" />
      <PageEmpty title="You belong to no organisation">
        Only you see your projects. To join an organisation, ask one of its Admins for an invitation.
      </PageEmpty>
    </>
  );
}

export function MembersScreen() {
  return useSession().organisation === null ? <NoMembers /> : <OrganisationMembers />;
}

/** From this many members on there is a search field. */
const searchedFrom = 10;

function OrganisationMembers() {
  const [searched, setSearched] = useState('');
  const { member } = useSession();
  const isAdmin = hasRole(member.role, 'admin');
  const members = useQuery(membersQuery);
  const [isInviting, invite] = useDisclosure(false);
  const [shown, setShown] = useState<ShownLink | null>(null);
  const all = members.data?.members ?? [];
  const words = searchedWords(searched);
  const found = all.filter(({ name, email }) => {
    const own = `${name} ${email}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
  return (
    <>
      <PageHead title="Members" actions={isAdmin && <Button onClick={invite.open}>Invite member</Button>}>
        Viewers read. Editors change flags and audiences, and create tokens. Admins also manage environments,
        members and all tokens. Owners also manage the organisation.
      </PageHead>
      <PageUnread of={members} what="members" />
      {members.data !== undefined && (
        <Stack gap="xl">
          <Stack gap="sm">
            {all.length >= searchedFrom && (
              <TextField
                type="search"
                label="Search members"
                placeholder="Name or email"
                maw={320}
                value={searched}
                onText={setSearched}
              />
            )}
            <DataList
              label="Members"
              rows={found}
              rowKey={({ id }) => id}
              columns={memberColumns(member, all, setShown)}
            />
            {found.length === 0 && <Text c="dimmed">No member matches.</Text>}
          </Stack>
          {isAdmin && <Invitations />}
        </Stack>
      )}
      {isInviting && <InviteMember onMade={setShown} onClose={invite.close} />}
      {shown !== null && <LinkOnce {...shown} onClose={() => setShown(null)} />}
    </>
  );
}
