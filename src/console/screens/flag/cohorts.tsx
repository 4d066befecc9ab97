import { Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { cohortCodePointsMax, overrideAfter } from '../../../domain/flag/state-fields.ts';
import { stateKey } from '../../draft/flag-fields.ts';
import { ListDialog, type ListedThing } from '../../draft/list-dialog.tsx';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { Mark } from '../../parts/mark.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { countOf } from '../../parts/words.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import classes from './flag.module.css';
import { environmentOf } from './use-flag-editing.ts';

const shownMax = 8;

/** The first few of a list; the dialog has them all. */
function CohortPills({ cohorts }: { readonly cohorts: readonly string[] }) {
  if (cohorts.length === 0) return null;
  return (
    <ul className={classes.pills}>
      {cohorts.slice(0, shownMax).map((cohort) => (
        <li key={cohort}>
          <Mark tone="off">{cohort.length > 40 ? `${cohort.slice(0, 40)}…` : cohort}</Mark>
        </li>
      ))}
      {cohorts.length > shownMax && (
        <li className={classes.more}>and {(cohorts.length - shownMax).toLocaleString('en')} more</li>
      )}
    </ul>
  );
}

const thing: ListedThing = { noun: 'cohort', codePointsMax: cohortCodePointsMax, mayBeEmpty: false };

/** The flag's own list: the one that environments inherit, or the only one. */
export function FlagCohorts({ handle }: { readonly handle: DraftHandle }) {
  const { isMultiEnvironment } = useProject();
  const canEdit = useCanEdit();
  const [isOpen, dialog] = useDisclosure(false);
  const cohorts = handle.value('cohorts') as readonly string[];
  const note = isMultiEnvironment ? ' – always on where the list is inherited' : ' – always on';
  return (
    <div>
      <div className={classes.cohortRow}>
        <span className={classes.cohortWords}>
          {!isMultiEnvironment && <span className={classes.label}>Cohorts: </span>}
          {cohorts.length === 0 ? 'none' : countOf(cohorts.length, 'cohort')}
          {cohorts.length > 0 && <span className={classes.quiet}>{note}</span>}
        </span>
        {canEdit && <SmallButton onClick={dialog.open}>Edit cohorts</SmallButton>}
      </div>
      <CohortPills cohorts={cohorts} />
      {isOpen && (
        <ListDialog
          thing={thing}
          title={isMultiEnvironment ? 'Flag-wide cohorts' : 'Cohorts'}
          items={cohorts}
          emptyNote="No cohort is always on."
          onApply={(next) => handle.edit({ cohorts: next })}
          onClose={dialog.close}
        />
      )}
    </div>
  );
}

interface EnvironmentCohortsProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

/** «inherits 12», or «own list of 3» with a way back. An empty list is no list of its own: it inherits. */
export function EnvironmentCohorts({ environment, handle }: EnvironmentCohortsProps) {
  const project = useProject();
  const canEdit = useCanEdit();
  const [isOpen, dialog] = useDisclosure(false);
  const key = stateKey(environment, 'cohortOverride');
  const own = handle.value(key) as readonly string[] | null;
  const shared = handle.value('cohorts') as readonly string[];
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
              <SmallButton onClick={() => handle.edit({ [key]: null })}>Reset to inherited</SmallButton>
            )}
            <SmallButton onClick={dialog.open}>
              {own === null ? 'Give it its own list' : 'Edit list'}
            </SmallButton>
          </Group>
        )}
      </div>
      {own !== null && <CohortPills cohorts={own} />}
      {isOpen && (
        <ListDialog
          thing={thing}
          title={`Cohorts of ${environmentOf(project, environment)?.name ?? 'this environment'}`}
          items={own ?? shared}
          emptyNote={`An empty list inherits the flag-wide one (${shared.length}).`}
          onApply={(next) => handle.edit({ [key]: overrideAfter(own, next, shared) })}
          onClose={dialog.close}
        />
      )}
    </div>
  );
}
