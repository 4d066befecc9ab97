import { Group, Menu, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import Pencil from 'lucide-react/icons/pencil';
import UserMinus from 'lucide-react/icons/user-minus';
import { useState } from 'react';
import type { MadeLink, MemberView } from '../../../contracts/console/member-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { type Role, roles } from '../../../domain/member/member.ts';
import { call } from '../../client/call.ts';
import { membersQuery, memberTokensQuery, sessionQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { DangerItem } from '../../parts/danger-item.tsx';
import type { Column } from '../../parts/data-list.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { nameRule, newEmailRule, renamingRule } from '../../parts/field-rules.ts';
import { MoreActions } from '../../parts/more-actions.tsx';
import { showDone } from '../../parts/notices.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { numberWords, roleWord } from '../../parts/words.ts';
import classes from './members.module.css';

export interface ShownLink {
  readonly title: string;
  /** The address of the person that it is for. */
  readonly email: string;
  readonly link: MadeLink;
}

/** What each role may do, each more than the one before. */
const roleEffects: Readonly<Record<Role, string>> = {
  viewer: 'Viewers only read.',
  editor: 'Editors change flags and audiences, and create tokens.',
  admin: 'Admins also manage environments, members and all tokens.',
  owner: 'Owners also manage the organisation and other Owners.',
};

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
  const name = visibleName(member.name);
  const change = useMutation({
    mutationFn: (role: Role) => call('edit-member', { memberId }, { revision, role }),
    onSuccess: ({ name: changed, role }) => {
      setAsked(null);
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showDone(`${visibleName(changed)} is now ${roleWord(role)}.`);
    },
    onError: () => client.invalidateQueries({ queryKey: membersQuery.queryKey }),
  });
  if (isLastOwner) return <span>{roleWord(member.role)} (only one)</span>;
  if (!mayManageMember(self, member)) return <span>{roleWord(member.role)}</span>;
  const offered = roles.filter((role) => role !== 'owner' || self.role === 'owner');
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`Role of ${name}`}
        value={member.role}
        data={offered.map((role) => ({ value: role, label: roleWord(role) }))}
        onChange={(event) => setAsked(roles.find((role) => role === event.currentTarget.value) ?? null)}
      />
      {asked !== null && (
        <ConfirmDialog
          title={`Make ${name} ${roleWord(asked)}?`}
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
            <SafeName name={member.name} /> is {roleWord(member.role)} now. {roleEffects[asked]} The new role
            applies at once, in all open windows.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}

interface EditMemberProps {
  readonly member: MemberView;
  readonly members: readonly MemberView[];
  readonly onClose: () => void;
}

function EditMember({ member, members, onClose }: EditMemberProps) {
  const client = useQueryClient();
  const { id: memberId, revision } = member;
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email);
  const edit = useMutation({
    mutationFn: () => call('edit-member', { memberId }, { revision, name, email }),
    onSuccess: ({ name: changed }) => {
      onClose();
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showDone(`Saved ${visibleName(changed)}.`);
    },
    onSettled: () => client.invalidateQueries({ queryKey: membersQuery.queryKey }),
  });
  const others = members.filter(({ id }) => id !== memberId);
  const taken = others.map((each) => {
    return { email: each.email, who: `${visibleName(each.name)} has this address already.` };
  });
  return (
    <FormDialog
      title={`Edit ${visibleName(member.name)}`}
      submit="Save"
      isDirty={name !== member.name || email !== member.email}
      isBusy={edit.isPending}
      error={edit.error}
      onSubmit={edit.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        data-autofocus
        rule={renamingRule(nameRule, member.name)}
        value={name}
        onText={setName}
      />
      <TextField
        label="Email"
        type="email"
        required
        rule={newEmailRule(taken)}
        value={email}
        onText={setEmail}
      />
      <Text size="sm" c="dimmed">
        The member signs in with this email from now on. Accounts at an OpenID provider stay linked.
      </Text>
    </FormDialog>
  );
}

/** The tokens that a member leaves behind, with links to where they are revoked. */
function CreatedTokens({ memberId }: { readonly memberId: string }) {
  const { data, error } = useQuery(memberTokensQuery(memberId));
  if (error !== null) {
    return (
      <Text size="sm">Tokens that they created keep working: revoke those on the page of their project.</Text>
    );
  }
  if (data === undefined) return <Text size="sm">Looking for tokens that they created …</Text>;
  if (data.tokens.length === 0) return <Text size="sm">They created no token that still works.</Text>;
  return (
    <>
      <Text size="sm">
        Tokens that they created keep working. Revoke any whose secret they may still have:
      </Text>
      <ul className={classes.tokens}>
        {data.tokens.map(({ id, name, projectId, projectName }) => (
          <li key={id}>
            <Link to="/projects/$projectId/tokens/$tokenId" params={{ projectId, tokenId: id }}>
              <SafeName name={name} />
            </Link>{' '}
            in <SafeName name={projectName} />
          </li>
        ))}
      </ul>
      {data.more > 0 && <Text size="sm">and {numberWords(data.more)} more.</Text>}
    </>
  );
}

interface MemberActionsProps {
  readonly member: MemberView;
  readonly self: MemberView;
  readonly members: readonly MemberView[];
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
      showDone(`Removed ${visibleName(member.name)}. Their sessions have ended.`);
    },
  });
  const makeLink = useMutation({
    mutationFn: () => call('make-sign-in-link', { memberId }, null),
    onSuccess: (link) => {
      onDone();
      onShow({ title: `Sign-in link for ${visibleName(member.name)}`, email: member.email, link });
    },
  });
  return { remove, makeLink };
}

function MemberActions(props: MemberActionsProps) {
  const { member, self, members, isLastOwner } = props;
  const [asked, setAsked] = useState<'edit' | 'remove' | 'link' | null>(null);
  const close = () => setAsked(null);
  const { remove, makeLink } = useMemberCommands(props, close);
  if (!mayManageMember(self, member)) return null;
  const name = visibleName(member.name);
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {member.id !== self.id && (
        <SmallButton aria-label={`Sign-in link for ${name}`} onClick={() => setAsked('link')}>
          Sign-in link
        </SmallButton>
      )}
      <MoreActions label={`More actions for ${name}`}>
        <Menu.Item leftSection={<Pencil aria-hidden="true" />} onClick={() => setAsked('edit')}>
          Edit name and email …
        </Menu.Item>
        {!isLastOwner && (
          <>
            <Menu.Divider />
            <DangerItem leftSection={<UserMinus aria-hidden="true" />} onClick={() => setAsked('remove')}>
              Remove {name} …
            </DangerItem>
          </>
        )}
      </MoreActions>
      {asked === 'edit' && <EditMember member={member} members={members} onClose={close} />}
      {asked === 'link' && (
        <ConfirmDialog
          title={`Create a sign-in link for ${name}?`}
          confirm="Create link"
          isBusy={makeLink.isPending}
          error={makeLink.error}
          onConfirm={() => makeLink.mutate()}
          onClose={close}
        >
          <Text size="sm">Anybody with the link can sign in as {name}, once, within 24 hours.</Text>
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          confirm="Remove member"
          isDangerous
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <Text size="sm">
            {member.id === self.id
              ? 'You are signed out at once.'
              : 'They are signed out everywhere at once.'}
          </Text>
          <CreatedTokens memberId={member.id} />
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
        <span className={classes.person}>
          <Avatar isRound name={name} of={id} />
          <span>
            <strong>
              <SafeName name={name} />
            </strong>
            {id === self.id && ' (you)'}
          </span>
        </span>
      ),
    },
    { header: 'Email', cell: ({ email }) => <SafeName name={email} /> },
    {
      header: 'Role',
      cell: (member) => <RoleChoice member={member} self={self} isLastOwner={isLastOwner(member)} />,
    },
    { header: 'Signs in with', cell: signInWords },
    {
      header: 'Last sign-in',
      cell: ({ lastSignInAt }) => (lastSignInAt === null ? 'never' : <TimeAgo at={lastSignInAt} />),
    },
    { header: 'Joined', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      header: 'Actions',
      isActions: true,
      cell: (member) => (
        <MemberActions {...{ member, self, members, onShow }} isLastOwner={isLastOwner(member)} />
      ),
    },
  ];
}
