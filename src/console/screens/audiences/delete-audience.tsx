import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import { call } from '../../client/call.ts';
import { audienceQuery } from '../../client/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { AudienceUses } from './audience-uses.tsx';

interface DeleteAudienceProps {
  readonly audience: AudienceView;
  readonly onClose: () => void;
}

/** An audience in use is not deleted: the flags that use it are shown instead. */
function StillInUse({ audience, onClose }: DeleteAudienceProps) {
  return (
    <Dialog onClose={onClose} title={`${audience.name} is still in use`}>
      <Stack gap="md">
        <Text size="sm">Take it off these flags first:</Text>
        <AudienceUses uses={audience.uses} useCount={audience.useCount} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

export function DeleteAudience({ audience, onClose }: DeleteAudienceProps) {
  const { id: audienceId, projectId, name, revision, useCount } = audience;
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call('delete-audience', { projectId, audienceId }, { revision }),
    onSuccess: async () => {
      showNotice({ tone: 'done', message: `Deleted ${name}.` });
      await navigate({ to: '/projects/$projectId/audiences', params: { projectId }, ignoreBlocker: true });
      client.removeQueries({ queryKey: audienceQuery(projectId, audienceId).queryKey });
      await client.invalidateQueries({ queryKey: [projectId] });
    },
    // Attached by somebody else in the meantime: the list of uses is read again.
    onError: () => client.invalidateQueries({ queryKey: audienceQuery(projectId, audienceId).queryKey }),
  });
  if (useCount > 0) return <StillInUse audience={audience} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete audience"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">No flag uses it. This cannot be undone.</Text>
    </ConfirmDialog>
  );
}
