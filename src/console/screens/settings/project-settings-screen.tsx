import { Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, saveDraft, useDraft } from '../../draft/use-draft.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Panel } from '../../parts/panel.tsx';
import { CopyButton } from '../../parts/small-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useCanAdminister, useProject, useProjectChange } from '../../shell/project-context.ts';

/** Switching off makes every evaluation a 403, so a dialog asks first. Switching on acts at once. */
function AccessSwitch({ project }: { readonly project: ProjectView }) {
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
      showDone(`The Evaluation API is ${isOn ? 'on' : 'off'} for ${name}.`, () =>
        turn.mutate({ next: !isOn, revision }),
      );
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
        {!canAdminister && ' Only Admins can switch it.'}
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

function storedOf({ name, revision }: ProjectView) {
  return { fields: { name }, revision };
}

function useSave({ id: projectId }: ProjectView, handle: DraftHandle) {
  const apply = useProjectChange();
  return async () => {
    const { name } = await saveDraft(handle, storedOf, async ({ revision, edits }) => {
      const stored = await call('edit-project', { projectId }, { revision, ...edits });
      apply(stored);
      return stored;
    });
    showDone(`Renamed the project to ${name}.`);
  };
}

export function ProjectSettingsScreen() {
  const project = useProject();
  const canAdminister = useCanAdminister();
  const handle = useDraft({ name: project.name }, project.revision);
  return (
    <>
      <PageHead title="Project settings" />
      <Stack gap="md">
        <Panel title="Name">
          <TextField
            aria-label="Name of the project"
            description={canAdminister ? undefined : 'Only Admins can change it.'}
            maw={420}
            disabled={!canAdminister}
            value={handle.value('name') as string}
            onText={(name) => handle.edit({ name })}
          />
        </Panel>
        <Panel title="Evaluation API">
          <AccessSwitch project={project} />
        </Panel>
        <Panel title="Project id" aside={<CopyButton value={project.id} what="project id" />}>
          <code>{project.id}</code>
        </Panel>
      </Stack>
      <ReviewBar handle={handle} onSave={useSave(project, handle)} />
    </>
  );
}
