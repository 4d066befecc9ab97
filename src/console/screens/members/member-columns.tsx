import { Group, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeLink, MemberView } from '../../../contracts/console/member-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { type Role, roles } from '../../../domain/member/member.ts';
import { call } from '../../client/call.ts';
import { membersQuery, sessionQuery } from '../../client/queries.ts';
import type { Column } from '../../parts/data-list.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/notices.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { roleWord } from '../../parts/words.ts';

export interface ShownLink {
  readonly title: string;
  readonly link: MadeLink;
}

/** An Admin manages members up to Admin; only an Owner changes Owners. The service decides. */
function mayManageMember(self: MemberView, member: MemberView): boolean {
  return hasRole(self.role, member.role === 'owner' ? 'owner' : 'admin');
}

interface RoleChoiceProps {
  readonly member: MemberView;
  readonly self: MemberView;
  /** An organisation always has an Owner. */
  readonly isLastOwner: boolean;
}

/** A role is changed after a question that explains the change. */
function RoleChoice({ member, self, isLastOwner }: RoleChoiceProps) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Role | null>(null);
  const { id: memberId, revision } = member;
  const change = useMutation({
    mutationFn: (role: Role) => call('edit-member', { memberId }, { revision, role }),
    onSuccess: ({ name, role }) => {
      setAsked(null);
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showDone(`${name} is ${roleWord(role)} now.`);
    },
    onError: () => client.invalidateQueries({ queryKey: membersQuery.queryKey }),
  });
  if (isLastOwner) return <span>{roleWord(member.role)}, the only one</span>;
  if (!mayManageMember(self, member)) return <span>{roleWord(member.role)}</span>;
  const offered = roles.filter((role) => role !== 'owner' || self.role === 'owner');
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`Role of ${member.name}`}
        value={member.role}
        data={offered.map((role) => ({ value: role, label: roleWord(role) }))}
        onChange={(event) => setAsked(roles.find((role) => role === event.currentTarget.value) ?? null)}
      />
      {asked !== null && (
        <ConfirmDialog
          title={`Make ${member.name} ${roleWord(asked)}?`}
          confirm="Change role"
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate(asked)}
          onClose={() => {
            change.reset();
            setAsked(null);
          }}
        >
          <Text size="sm">
            {member.name} is {roleWord(member.role)} now. The new role holds at once, in every open window.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}

interface MemberActionsProps {
  readonly member: MemberView;
  readonly self: MemberView;
  readonly isLastOwner: boolean;
  readonly onShow: (shown: ShownLink) => void;
}

function useMemberCommands({ member, onShow }: MemberActionsProps, onDone: () => void) {
  const client = useQueryClient();
  const memberId = member.id;
  const remove = useMutation({
    mutationFn: () => call('remove-member', { memberId }, null),
    onSuccess: () => {
      onDone();
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      showDone(`Removed ${member.name}. Their sessions have ended.`);
    },
  });
  const makeLink = useMutation({
    mutationFn: () => call('make-sign-in-link', { memberId }, null),
    onSuccess: (link) => {
      onDone();
      onShow({ title: `Sign-in link for ${member.name}`, link });
    },
  });
  return { remove, makeLink };
}

function MemberActions(props: MemberActionsProps) {
  const { member, self, isLastOwner } = props;
  const [asked, setAsked] = useState<'remove' | 'link' | null>(null);
  const close = () => setAsked(null);
  const { remove, makeLink } = useMemberCommands(props, close);
  if (isLastOwner || !mayManageMember(self, member)) return null;
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {member.id !== self.id && (
        <SmallButton aria-label={`Sign-in link for ${member.name}`} onClick={() => setAsked('link')}>
          Sign-in link
        </SmallButton>
      )}
      <SmallButton aria-label={`Remove ${member.name}`} onClick={() => setAsked('remove')}>
        Remove
      </SmallButton>
      {asked === 'link' && (
        <ConfirmDialog
          title={`Create a sign-in link for ${member.name}?`}
          confirm="Create link"
          isBusy={makeLink.isPending}
          error={makeLink.error}
          onConfirm={() => makeLink.mutate()}
          onClose={close}
        >
          <Text size="sm">Anybody with the link can sign in as {member.name}, once, within 24 hours.</Text>
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title={`Remove ${member.name}?`}
          confirm="Remove member"
          isDangerous
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <Text size="sm">Their sessions end at once. Tokens that they created keep working.</Text>
        </ConfirmDialog>
      )}
    </Group>
  );
}

function signInWords({ hasPassword, hasIdentity }: MemberView): string {
  const ways = [hasPassword && 'password', hasIdentity && 'OpenID'].filter((way) => way !== false);
  return ways.length === 0 ? 'one-time link' : ways.join(', ');
}

export function memberColumns(
  self: MemberView,
  members: readonly MemberView[],
  onShow: (shown: ShownLink) => void,
): readonly Column<MemberView>[] {
  const owners = members.filter(({ role }) => role === 'owner');
  const isLastOwner = ({ role }: MemberView) => role === 'owner' && owners.length === 1;
  return [
    {
      header: 'Member',
      cell: ({ id, name }) => (
        <span>
          <strong>{name}</strong>
          {id === self.id && ' (you)'}
        </span>
      ),
    },
    { header: 'Email', cell: ({ email }) => email },
    {
      header: 'Role',
      cell: (member) => <RoleChoice member={member} self={self} isLastOwner={isLastOwner(member)} />,
    },
    { header: 'Signs in with', cell: signInWords },
    { header: 'Joined', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      header: 'Actions',
      isActions: true,
      cell: (member) => (
        <MemberActions member={member} self={self} isLastOwner={isLastOwner(member)} onShow={onShow} />
      ),
    },
  ];
}
