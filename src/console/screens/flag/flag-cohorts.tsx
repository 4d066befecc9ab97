import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { countOf } from '../../parts/count-words.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { CohortPills } from './cohort-pills.tsx';
import { CohortsDialog } from './cohorts-dialog.tsx';
import classes from './flag.module.css';
import type { FlagEditing } from './use-flag-editing.ts';

/** The flag's own list: what environments inherit, and the only one where there are none. */
export function FlagCohorts({ editing }: { readonly editing: FlagEditing }) {
  const { isMultiEnvironment } = useProject();
  const canEdit = useCanEdit();
  const [isOpen, dialog] = useDisclosure(false);
  const cohorts = editing.handle.value('cohorts') as readonly string[];
  const note = isMultiEnvironment ? ' – always on where the list is inherited' : ' – always on';
  return (
    <div>
      <div className={classes.cohortRow}>
        <span className={classes.cohortWords}>
          {!isMultiEnvironment && <span className={classes.label}>Cohorts: </span>}
          {cohorts.length === 0 ? 'none' : countOf(cohorts.length, 'cohort')}
          {cohorts.length > 0 && <span className={classes.quiet}>{note}</span>}
        </span>
        {canEdit && (
          <Button size="compact-sm" variant="default" onClick={dialog.open}>
            Edit cohorts
          </Button>
        )}
      </div>
      <CohortPills cohorts={cohorts} />
      {isOpen && (
        <CohortsDialog
          title={isMultiEnvironment ? 'Flag-wide cohorts' : 'Cohorts'}
          cohorts={cohorts}
          emptyNote="No cohort is always on."
          onApply={(next) => editing.handle.edit({ cohorts: next })}
          onClose={dialog.close}
        />
      )}
    </div>
  );
}
