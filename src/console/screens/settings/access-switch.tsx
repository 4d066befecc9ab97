import { Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { showFailure } from '../../parts/show-failure.ts';
import { useCanAdminister } from '../../shell/project-context.ts';
import { useProjectChange } from '../environments/use-project-change.ts';

/** Off answers 403 to every application: that is asked first. On acts at once. */
export function AccessSwitch({ project }: { readonly project: ProjectView }) {
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const [isAsked, setAsked] = useState(false);
  const { id: projectId, name, evaluationAccess } = project;
  const turn = useMutation({
    mutationFn: ({ next, revision }: { next: boolean; revision: number }) =>
      call('edit-project', { projectId }, { revision, evaluationAccess: next }),
    onError: showFailure,
    onSuccess: (stored) => {
      apply(stored);
      const { evaluationAccess: isOn, revision } = stored;
      showNotice({
        tone: 'done',
        message: `The Evaluation API is ${isOn ? 'on' : 'off'} for ${name}.`,
        action: { label: 'Undo', run: () => turn.mutate({ next: !isOn, revision }) },
      });
    },
  });
  const choose = (next: boolean) => turn.mutate({ next, revision: project.revision });
  return (
    <Stack gap="xs">
      <Switch
        size="md"
        color="green.8"
        aria-label="Evaluation API access"
        label={evaluationAccess ? 'On' : 'Off'}
        checked={evaluationAccess}
        disabled={!canAdminister}
        onChange={(event) => {
          if (turn.isPending) return;
          if (event.currentTarget.checked) choose(true);
          else setAsked(true);
        }}
      />
      <Text size="sm" c="dimmed">
        While it is off, every application that asks for a flag of this project gets 403.
        {!canAdminister && ' Only an Admin switches it.'}
      </Text>
      {isAsked && (
        <ConfirmDialog
          title={`Switch the Evaluation API off for ${name}?`}
          confirm="Switch off"
          isDangerous
          onConfirm={() => {
            setAsked(false);
            choose(false);
          }}
          onClose={() => setAsked(false)}
        >
          <Text size="sm">
            Every application that asks for a flag of {name} gets 403 at once, in every environment.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}
