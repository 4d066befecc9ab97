import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Role, roles } from '../../../domain/member/member.ts';
import { call } from '../../client/call.ts';
import { invitationsQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/failure.tsx';
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  const offered = roles.filter((each) => each !== 'owner' || member.role === 'owner');
  return (
    <Modal opened onClose={onClose} title="Invite somebody">
      <form onSubmit={submit}>
        <Stack gap="md">
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
            data={[...offered]}
            onChange={(event) =>
              setRole(roles.find((each) => each === event.currentTarget.value) ?? 'viewer')
            }
          />
          <Failure error={invite.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={invite.isPending}>
              Make invitation link
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
