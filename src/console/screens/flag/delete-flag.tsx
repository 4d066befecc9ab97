import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { call } from '../../client/call.ts';
import { flagQuery } from '../../client/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';

interface DeleteFlagProps {
  readonly flag: ConsoleFlagView;
  readonly onClose: () => void;
}

export function DeleteFlag({ flag, onClose }: DeleteFlagProps) {
  const { id: flagId, projectId, name, revision } = flag;
  const guarded = useProject()
    .environments.filter(({ isProtected }) => isProtected)
    .map(({ name: environment }) => environment);
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call('delete-flag', { projectId, flagId }, { revision, name }),
    onSuccess: async () => {
      showNotice({ tone: 'done', message: `Deleted ${name}.` });
      await navigate({ to: '/projects/$projectId/flags', params: { projectId }, ignoreBlocker: true });
      client.removeQueries({ queryKey: flagQuery(projectId, flagId).queryKey });
      await client.invalidateQueries({ queryKey: [projectId] });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete flag"
      isDangerous
      typedName={name}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        Applications that ask for <code>{flagId}</code> get 404 from now on, in every environment
        {guarded.length > 0 && `, ${guarded.join(', ')} (protected) among them`}. This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}
