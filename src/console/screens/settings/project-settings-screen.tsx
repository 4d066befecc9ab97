import { Stack, TextInput } from '@mantine/core';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { conflictOf } from '../../client/console-error.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, useDraft } from '../../draft/use-draft.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { showNotice } from '../../parts/notices.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useCanAdminister, useProject } from '../../shell/project-context.ts';
import { useProjectChange } from '../environments/use-project-change.ts';
import { AccessSwitch } from './access-switch.tsx';

function useSave(project: ProjectView, { draft, settle, meet }: DraftHandle) {
  const apply = useProjectChange();
  return async () => {
    try {
      const stored = await call(
        'edit-project',
        { projectId: project.id },
        { revision: draft.revision, ...draft.edits },
      );
      apply(stored);
      settle({ fields: { name: stored.name }, revision: stored.revision }, 'all');
      showNotice({ tone: 'done', message: `The project is called ${stored.name} now.` });
    } catch (error) {
      const current = conflictOf<ProjectView>(error);
      if (current !== null) meet({ fields: { name: current.name }, revision: current.revision });
      throw error;
    }
  };
}

export function ProjectSettingsScreen() {
  const project = useProject();
  const canAdminister = useCanAdminister();
  const handle = useDraft({ name: project.name }, project.revision);
  return (
    <>
      <PageHeader title="Project settings" />
      <Stack gap="md">
        <Panel title="Name">
          <TextInput
            aria-label="Name of the project"
            description={canAdminister ? undefined : 'Only an Admin changes it.'}
            maw={420}
            disabled={!canAdminister}
            value={handle.value('name') as string}
            onChange={(event) => handle.edit({ name: event.currentTarget.value })}
          />
        </Panel>
        <Panel title="Evaluation API">
          <AccessSwitch project={project} />
        </Panel>
        <Panel title="Project id" aside={<CopyButton value={project.id} what="project id" />}>
          <code>{project.id}</code>
        </Panel>
      </Stack>
      <ReviewBar
        handle={handle}
        show={({ key, before, after }) => ({ environment: null, field: key, before, after })}
        onSave={useSave(project, handle)}
      />
    </>
  );
}
