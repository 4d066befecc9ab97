import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Role, roles } from '../../../domain/member/member.ts';
import { call } from '../../client/call.ts';
import { invitationsQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { roleWord } from '../../parts/role-word.ts';
import { useSession } from '../../shell/use-session.ts';
import type { ShownLink } from './shown-link.ts';

interface InviteMemberProps {
  readonly onMade: (shown: ShownLink) => void;
  readonly onClose: () => void;
}

export function InviteMember({ onMade, onClose }: InviteMemberProps) {
  const { member } = useSession();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const invite = useMutation({
    mutationFn: () => call('invite-member', {}, { email, role }),
    onSuccess: (link) => {
      void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
      onClose();
      onMade({ title: `Invitation for ${email}`, link });
    },
  });
  const offered = roles.filter((each) => each !== 'owner' || member.role === 'owner');
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
      <TextInput
        label="Email"
        type="email"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <NativeSelect
        label="Role"
        value={role}
        data={offered.map((each) => ({ value: each, label: roleWord(each) }))}
        onChange={(event) => setRole(roles.find((each) => each === event.currentTarget.value) ?? 'viewer')}
      />
      <Text size="sm" c="dimmed">
        You get a link to hand over. It works once, within 7 days.
      </Text>
    </FormDialog>
  );
}
