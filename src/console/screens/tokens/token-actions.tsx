import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Ban from 'lucide-react/icons/ban';
import { useState } from 'react';
import type { MadeToken, TokenView } from '../../../contracts/console/token-views.ts';
import { call } from '../../client/call.ts';
import { tokenQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { DangerItem } from '../../parts/danger-item.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { MoreActions } from '../../parts/more-actions.tsx';
import { showDone } from '../../parts/notices.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf } from '../../parts/words.ts';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import classes from './tokens.module.css';
import { recentUse } from './use-words.ts';

/** The secret of a token that was just created. */
export function TokenSecret({ made, onClose }: { readonly made: MadeToken; readonly onClose: () => void }) {
  return (
    <SecretOnce
      title={`Token ${visibleName(made.token.name)}`}
      what="token secret"
      secret={made.secret}
      note="Copy the secret now and keep it where your secrets are. Burgee cannot show it again."
      done="I have stored it"
      onClose={onClose}
    />
  );
}

interface TokenActionsProps {
  readonly token: TokenView;
  readonly onMade: (made: MadeToken) => void;
  /** In a row there is room for one button; the others are in a menu. */
  readonly isInRow?: boolean;
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
      showDone(`Revoked ${visibleName(token.name)}. Requests with it are refused from now on.`);
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

/** Whether something still depends on the token: when, from where and how often it was used. */
function LastUse({ token }: { readonly token: TokenView }) {
  const { id: projectId } = useProject();
  const activity = useQuery(tokenQuery(projectId, token.id));
  if (activity.data === undefined) return <p className={classes.lastUse}>Looking up when it was used …</p>;
  const { last, dayCount, isAtLeast } = recentUse(activity.data.uses, Date.now());
  if (last === null) return <p className={classes.lastUse}>Not used yet.</p>;
  const requests = countOf(dayCount, 'request');
  return (
    <Callout tone={dayCount > 0 ? 'warn' : 'plain'}>
      <strong>
        Last used <TimeAgo isInline at={last.at} />
      </strong>{' '}
      from {last.address}: <code>{last.route}</code>
      {last.environment !== null && ` in ${last.environment}`}.{' '}
      {dayCount === 0 ? 'No requests' : `${isAtLeast ? 'At least ' : ''}${requests}`} in the last 24 hours.
    </Callout>
  );
}

/** Revoking and rotating: for the creator and Admins, while the plan has the Management API. */
export function TokenActions(props: TokenActionsProps) {
  const { token, isInRow = false } = props;
  const { organisation } = useSession();
  const [asked, setAsked] = useState<'revoke' | 'rotate' | null>(null);
  const close = () => setAsked(null);
  const { revoke, rotate } = useTokenCommands(props, close);
  if (!token.isManageable || token.status === 'revoked' || organisation?.isEligible !== true) return null;
  const name = visibleName(token.name);
  return (
    <Group gap={isInRow ? 'xs' : 'sm'} wrap="nowrap" justify="flex-end">
      {token.status === 'active' && (
        <Button
          size={isInRow ? 'compact-sm' : 'sm'}
          variant="default"
          aria-label={`Rotate ${name}`}
          onClick={() => setAsked('rotate')}
        >
          Rotate
        </Button>
      )}
      {isInRow ? (
        <MoreActions label={`More actions for ${name}`}>
          <DangerItem leftSection={<Ban aria-hidden="true" />} onClick={() => setAsked('revoke')}>
            Revoke {name} …
          </DangerItem>
        </MoreActions>
      ) : (
        <Button variant="danger" aria-label={`Revoke ${name}`} onClick={() => setAsked('revoke')}>
          Revoke
        </Button>
      )}
      {asked === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${name}?`}
          confirm="Revoke token"
          isDangerous
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={close}
        >
          <Stack gap="sm">
            <LastUse token={token} />
            <Text size="sm">All requests with this token are refused at once. This cannot be undone.</Text>
          </Stack>
        </ConfirmDialog>
      )}
      {asked === 'rotate' && (
        <ConfirmDialog
          title={`Rotate ${name}?`}
          confirm="Rotate token"
          isBusy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={close}
        >
          <Stack gap="sm">
            <Text size="sm">
              The current secret stops working immediately. You get a new one for the same name, permission,
              environments and expiry: put it wherever the token is used.
            </Text>
            <LastUse token={token} />
          </Stack>
        </ConfirmDialog>
      )}
    </Group>
  );
}
