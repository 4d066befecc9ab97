import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberView } from '../../../contracts/console/member-views.ts';
import { call } from '../../client/call.ts';
import { membersQuery } from '../../client/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { mayManage } from './may-manage.ts';
import type { ShownLink } from './shown-link.ts';

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
      showNotice({ tone: 'done', message: `Removed ${member.name}. Their sessions have ended.` });
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

export function MemberActions(props: MemberActionsProps) {
  const { member, self, isLastOwner } = props;
  const [asked, setAsked] = useState<'remove' | 'link' | null>(null);
  const close = () => setAsked(null);
  const { remove, makeLink } = useMemberCommands(props, close);
  if (isLastOwner || !mayManage(self, member)) return null;
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {member.id !== self.id && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Sign-in link for ${member.name}`}
          onClick={() => setAsked('link')}
        >
          Sign-in link
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Remove ${member.name}`}
        onClick={() => setAsked('remove')}
      >
        Remove
      </Button>
      {asked === 'link' && (
        <ConfirmDialog
          title={`Create a sign-in link for ${member.name}?`}
          confirm="Create link"
          isBusy={makeLink.isPending}
          error={makeLink.error}
          onConfirm={() => makeLink.mutate()}
          onClose={close}
        >
          <Text size="sm">Whoever has the link signs in as {member.name}, once, within 24 hours.</Text>
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
          <Text size="sm">Their sessions end at once. Tokens they created go on working.</Text>
        </ConfirmDialog>
      )}
    </Group>
  );
}
