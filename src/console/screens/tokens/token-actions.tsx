import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeToken, TokenView } from '../../../contracts/console/token-views.ts';
import { call } from '../../client/call.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/notices.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';

/** The secret of a token that was just created. */
export function TokenSecret({ made, onClose }: { readonly made: MadeToken; readonly onClose: () => void }) {
  return (
    <SecretOnce
      title={`Token ${made.token.name}`}
      what="token secret"
      secret={made.secret}
      note="This is the only time the secret is shown. Put it where your secrets are kept; it cannot be read here again."
      onClose={onClose}
    />
  );
}

interface TokenActionsProps {
  readonly token: TokenView;
  readonly onMade: (made: MadeToken) => void;
  /** Size of the buttons: small in a row, and usual at the head of a page. */
  readonly size?: 'compact-sm' | 'sm';
}

function useTokenCommands({ token, onMade }: TokenActionsProps, onDone: () => void) {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  const params = { projectId, tokenId: token.id };
  const settle = () => {
    onDone();
    void client.invalidateQueries({ queryKey: [projectId] });
  };
  const revoke = useMutation({
    mutationFn: () => call('revoke-console-token', params, null),
    onSuccess: () => {
      settle();
      showDone(`Revoked ${token.name}. Requests with it are refused from now on.`);
    },
  });
  const rotate = useMutation({
    mutationFn: () => call('rotate-token', params, null),
    onSuccess: (made) => {
      settle();
      onMade(made);
    },
  });
  return { revoke, rotate };
}

/** Revoking and rotating: for the creator and Admins, while the plan has the Management API. */
export function TokenActions(props: TokenActionsProps) {
  const { token, size = 'compact-sm' } = props;
  const { organisation } = useSession();
  const [asked, setAsked] = useState<'revoke' | 'rotate' | null>(null);
  const close = () => setAsked(null);
  const { revoke, rotate } = useTokenCommands(props, close);
  if (!token.isManageable || token.status === 'revoked' || organisation?.isEligible !== true) return null;
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {token.status === 'active' && (
        <Button
          size={size}
          variant="default"
          aria-label={`Rotate ${token.name}`}
          onClick={() => setAsked('rotate')}
        >
          Rotate
        </Button>
      )}
      <Button
        size={size}
        variant="default"
        aria-label={`Revoke ${token.name}`}
        onClick={() => setAsked('revoke')}
      >
        Revoke
      </Button>
      {asked === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${token.name}?`}
          confirm="Revoke token"
          isDangerous
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={close}
        >
          <Text size="sm">Every request with it is refused from now on. This cannot be undone.</Text>
        </ConfirmDialog>
      )}
      {asked === 'rotate' && (
        <ConfirmDialog
          title={`Rotate ${token.name}?`}
          confirm="Rotate token"
          isBusy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={close}
        >
          <Text size="sm">
            A new token takes its place, with the same name, permission, environments and expiry. The present
            secret is refused at once: every program that uses it needs the new one.
          </Text>
        </ConfirmDialog>
      )}
    </Group>
  );
}
