import { Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { showNotice } from '../../parts/notices.ts';
import { showFailure } from '../../parts/show-failure.ts';
import { useCanAdminister, useProject } from '../../shell/project-context.ts';
import { useProjectChange } from './use-project-change.ts';

/** Acts at once, and can be undone. */
export function ProtectSwitch({ environment }: { readonly environment: EnvironmentView }) {
  const { id: projectId, environmentsRevision: revision } = useProject();
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const { number, name, isProtected } = environment;
  const protect = useMutation({
    mutationFn: (next: boolean) =>
      call('edit-environment', { projectId, number }, { revision, isProtected: next }),
    onError: showFailure,
    onSuccess: ({ project }, next) => {
      apply(project);
      showNotice({
        tone: 'done',
        message: `${name} is ${next ? 'protected' : 'not protected any more'}.`,
        action: {
          label: 'Undo',
          run: () => undo.mutate({ next: !next, revision: project.environmentsRevision }),
        },
      });
    },
  });
  const undo = useMutation({
    mutationFn: (back: { next: boolean; revision: number }) =>
      call('edit-environment', { projectId, number }, { revision: back.revision, isProtected: back.next }),
    onError: showFailure,
    onSuccess: ({ project }) => apply(project),
  });
  return (
    <Switch
      color="green.8"
      aria-label={`Protect ${name}`}
      label={isProtected ? 'Yes' : 'No'}
      checked={protect.isPending ? protect.variables : isProtected}
      disabled={!canAdminister}
      onChange={(event) => {
        if (!protect.isPending) protect.mutate(event.currentTarget.checked);
      }}
    />
  );
}
