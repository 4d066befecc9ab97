import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { TokenImpact, useImpact } from './token-impact.tsx';
import { useProjectChange } from './use-project-change.ts';

interface DeleteEnvironmentProps {
  readonly environment: EnvironmentView;
  readonly onClose: () => void;
}

export function DeleteEnvironment({ environment, onClose }: DeleteEnvironmentProps) {
  const { id: projectId, environmentsRevision: revision } = useProject();
  const { number, name } = environment;
  const apply = useProjectChange();
  const { impact, isKnown, error } = useImpact(number, '');
  const remove = useMutation({
    mutationFn: () => call('delete-environment', { projectId, number }, { revision, name }),
    onSuccess: ({ project }) => {
      apply(project);
      showNotice({ tone: 'done', message: `Deleted ${name}.` });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete environment"
      isDangerous
      typedName={name}
      isBusy={remove.isPending || (!isKnown && error === null)}
      error={remove.error ?? error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">
          Every flag loses its state there, and applications that ask for <strong>{name}</strong> get 404.
          This cannot be undone.
        </Text>
        <TokenImpact impact={impact} />
      </Stack>
    </ConfirmDialog>
  );
}
