import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { overrideAfter } from '../../../domain/flag/cohort-override.ts';
import { stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { CohortPills } from './cohort-pills.tsx';
import { CohortsDialog } from './cohorts-dialog.tsx';
import classes from './flag.module.css';
import { environmentName } from './show-flag-change.ts';

interface EnvironmentCohortsProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

/** «inherits 12», or «own list of 3» with a way back. An empty list is none of its own: it inherits. */
export function EnvironmentCohorts({ environment, handle }: EnvironmentCohortsProps) {
  const project = useProject();
  const canEdit = useCanEdit();
  const [isOpen, dialog] = useDisclosure(false);
  const key = stateKey(environment, 'cohortOverride');
  const own = handle.value(key) as readonly string[] | null;
  const shared = handle.value('cohorts') as readonly string[];
  const effective = own ?? shared;
  return (
    <div>
      <div className={classes.cohortRow}>
        <span className={classes.cohortWords}>
          <span className={classes.label}>Cohorts: </span>
          {own === null
            ? `inherits ${shared.length === 0 ? 'none' : shared.length}`
            : `own list of ${own.length}`}
        </span>
        {canEdit && (
          <Group gap="xs">
            {own !== null && (
              <Button size="compact-sm" variant="default" onClick={() => handle.edit({ [key]: null })}>
                Reset to inherited
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={dialog.open}>
              {own === null ? 'Give it its own list' : 'Edit list'}
            </Button>
          </Group>
        )}
      </div>
      {own !== null && <CohortPills cohorts={own} />}
      {isOpen && (
        <CohortsDialog
          title={`Cohorts of ${environmentName(project, environment) ?? 'this environment'}`}
          cohorts={effective}
          emptyNote={`An empty list inherits the flag-wide one (${shared.length}).`}
          onApply={(next) => handle.edit({ [key]: overrideAfter(own, next, shared) })}
          onClose={dialog.close}
        />
      )}
    </div>
  );
}
