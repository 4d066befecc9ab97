import { Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { cohortCodePointsMax } from '../../../domain/bounds.ts';
import { overrideAfter } from '../../../domain/flag/state-fields.ts';
import { stateKey } from '../../draft/flag-fields.ts';
import { ListDialog, type ListedThing } from '../../draft/list-dialog.tsx';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { Mark } from '../../parts/mark.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { countOf, numberWords } from '../../parts/words.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { environmentOf } from './card-state.ts';
import classes from './flag.module.css';

const shownMax = 8;

/** The first few of a list; the dialog has them all. */
function CohortPills({ cohorts }: { readonly cohorts: readonly string[] }) {
  if (cohorts.length === 0) return null;
  return (
    <ul className={classes.pills}>
      {cohorts.slice(0, shownMax).map((cohort) => (
        <li key={cohort}>
          <Mark tone="tag">
            <SafeName name={cohort.length > 40 ? `${cohort.slice(0, 40)}…` : cohort} />
          </Mark>
        </li>
      ))}
      {cohorts.length > shownMax && (
        <li className={classes.more}>and {numberWords(cohorts.length - shownMax)} more</li>
      )}
    </ul>
  );
}

const thing: ListedThing = { noun: 'cohort', codePointsMax: cohortCodePointsMax, mayBeEmpty: false };

/** How a list differs from the stored one. */
function Was({
  handle,
  name,
  words,
}: {
  readonly handle: DraftHandle;
  readonly name: string;
  readonly words: (stored: readonly string[] | null) => string;
}) {
  if (!Object.hasOwn(handle.draft.edits, name)) return null;
  return (
    <span className={classes.was}>was {words(handle.draft.base[name] as readonly string[] | null)}</span>
  );
}

function flagWideWords(cohorts: readonly string[] | null): string {
  return cohorts === null || cohorts.length === 0 ? 'none' : countOf(cohorts.length, 'cohort');
}

function FlagCohortsDialog({
  handle,
  onClose,
}: {
  readonly handle: DraftHandle;
  readonly onClose: () => void;
}) {
  const { isMultiEnvironment } = useProject();
  return (
    <ListDialog
      thing={thing}
      title={isMultiEnvironment ? 'Flag-wide cohorts' : 'Cohorts'}
      items={handle.value('cohorts') as readonly string[]}
      emptyNote="No cohorts listed."
      onApply={(next) => handle.edit({ cohorts: next })}
      onClose={onClose}
    />
  );
}

/** The only list of a project without environments. */
export function FlagCohorts({ handle }: { readonly handle: DraftHandle }) {
  const [isOpen, dialog] = useDisclosure(false);
  const cohorts = handle.value('cohorts') as readonly string[];
  return (
    <div>
      <div className={classes.cohortRow}>
        <span className={classes.cohortWords}>
          <span className={classes.label}>Cohorts: </span>
          {flagWideWords(cohorts)}
          {cohorts.length > 0 && <span className={classes.quiet}> – on while the flag is on</span>}
          <Was handle={handle} name="cohorts" words={flagWideWords} />
        </span>
        <SmallButton onClick={dialog.open}>Edit cohorts</SmallButton>
      </div>
      <CohortPills cohorts={cohorts} />
      {isOpen && <FlagCohortsDialog handle={handle} onClose={dialog.close} />}
    </div>
  );
}

/** The list that environments inherit: a line below their cards, longer only where it has something to show. */
export function FlagWideCohorts({ handle }: { readonly handle: DraftHandle }) {
  const canEdit = useCanEdit();
  const [isOpen, dialog] = useDisclosure(false);
  const cohorts = handle.value('cohorts') as readonly string[];
  return (
    <section className={classes.shared} aria-label="Flag-wide cohorts">
      <div className={classes.cohortRow}>
        <span className={classes.cohortWords}>
          <span className={classes.label}>Flag-wide cohorts: </span>
          {flagWideWords(cohorts)}
          <span className={classes.quiet}>
            {cohorts.length === 0
              ? ' – environments inherit this list'
              : ' – on where the flag is on and the list is inherited'}
          </span>
          <Was handle={handle} name="cohorts" words={flagWideWords} />
        </span>
        {canEdit && <SmallButton onClick={dialog.open}>Edit cohorts</SmallButton>}
      </div>
      <CohortPills cohorts={cohorts} />
      {isOpen && <FlagCohortsDialog handle={handle} onClose={dialog.close} />}
    </section>
  );
}

interface EnvironmentCohortsProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

/** `inherited (12)`, `own list of 3`, or `none`. */
function ownWords(own: readonly string[] | null, sharedCount: number): string {
  if (own !== null) return `own list of ${numberWords(own.length)}`;
  return sharedCount === 0 ? 'none' : `inherited (${numberWords(sharedCount)})`;
}

/** An environment's list with a way back to the inherited one. An empty list overrides nothing: it inherits. */
export function EnvironmentCohorts({ environment, handle }: EnvironmentCohortsProps) {
  const project = useProject();
  const [isOpen, dialog] = useDisclosure(false);
  const key = stateKey(environment, 'cohortOverride');
  const own = handle.value(key) as readonly string[] | null;
  const shared = handle.value('cohorts') as readonly string[];
  return (
    <div>
      <div className={classes.cohortRow}>
        <span className={classes.cohortWords}>
          <span className={classes.label}>Cohorts: </span>
          {ownWords(own, shared.length)}
          <Was handle={handle} name={key} words={(stored) => ownWords(stored, shared.length)} />
        </span>
        <Group gap="xs">
          {own !== null && <SmallButton onClick={() => handle.edit({ [key]: null })}>Inherit</SmallButton>}
          <SmallButton onClick={dialog.open}>{own === null ? 'Override' : 'Edit list'}</SmallButton>
        </Group>
      </div>
      {own !== null && <CohortPills cohorts={own} />}
      {isOpen && (
        <ListDialog
          thing={thing}
          title={`Cohorts of ${environmentOf(project, environment)?.name ?? 'this environment'}`}
          items={own ?? shared}
          emptyNote={`No cohorts listed: the environment inherits the flag-wide list (${shared.length}).`}
          onApply={(next) => handle.edit({ [key]: overrideAfter(own, next, shared) })}
          onClose={dialog.close}
        />
      )}
    </div>
  );
}

/** The list that applies, for a member who cannot change it. @param environment null without environments */
export function CohortValues({
  environment,
  handle,
}: {
  readonly environment: string | null;
  readonly handle: DraftHandle;
}) {
  const shared = handle.value('cohorts') as readonly string[];
  const own =
    environment === null
      ? null
      : (handle.value(stateKey(environment, 'cohortOverride')) as readonly string[] | null);
  const isShared = environment !== null && own === null;
  return (
    <>
      {isShared ? ownWords(null, shared.length) : flagWideWords(own ?? shared)}
      {!isShared && <CohortPills cohorts={own ?? shared} />}
    </>
  );
}
