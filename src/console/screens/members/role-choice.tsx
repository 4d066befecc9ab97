import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberView } from '../../../contracts/console/member-views.ts';
import { type Role, roles } from '../../../domain/member/member.ts';
import { call } from '../../client/call.ts';
import { membersQuery, sessionQuery } from '../../client/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { roleWord } from '../../parts/role-word.ts';
import { mayManage } from './may-manage.ts';

interface RoleChoiceProps {
  readonly member: MemberView;
  readonly self: MemberView;
  /** An organisation always has an Owner. */
  readonly isLastOwner: boolean;
}

/** A role is changed after a question that says what changes. */
export function RoleChoice({ member, self, isLastOwner }: RoleChoiceProps) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Role | null>(null);
  const { id: memberId, revision } = member;
  const change = useMutation({
    mutationFn: (role: Role) => call('edit-member', { memberId }, { revision, role }),
    onSuccess: ({ name, role }) => {
      setAsked(null);
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showNotice({ tone: 'done', message: `${name} is ${roleWord(role)} now.` });
    },
    onError: () => client.invalidateQueries({ queryKey: membersQuery.queryKey }),
  });
  if (isLastOwner) return <span>{roleWord(member.role)}, the only one</span>;
  if (!mayManage(self, member)) return <span>{roleWord(member.role)}</span>;
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
