import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { call } from '../../client/call.ts';
import { partsOfKey, stateKey } from '../../draft/flag-fields.ts';
import { ownOtherWindow, ReviewBar } from '../../draft/review-bar.tsx';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { splitField } from '../../parts/change-words.ts';
import { showDone } from '../../parts/notices.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf } from '../../parts/words.ts';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { effectOf } from '../../switching/effect-words.ts';
import { draftedReach, environmentOf, isGuarded, shownEnvironments } from './card-state.ts';
import classes from './flag.module.css';
import { type FlagEditing, showFlagChange, useAudienceName } from './use-flag-editing.ts';

const effectsShownMax = 6;

/** The states that the draft changes: its own fields, or the list that it inherits. Those of production first. */
function useTouched({ flag, handle }: FlagEditing): readonly string[] {
  const project = useProject();
  const keys = Object.keys(handle.draft.edits);
  const own = new Set(keys.map((key) => partsOfKey(key).environment));
  const inherits = (number: string) => handle.value(stateKey(number, 'cohortOverride')) === null;
  return shownEnvironments(project, flag.states).filter(
    (number) => own.has(number) || (keys.includes('cohorts') && inherits(number)),
  );
}

/** Off before and after: no answer changes there yet. */
function staysOff({ flag, handle }: FlagEditing, number: string): boolean {
  return flag.states[number]?.enabled === false && handle.value(stateKey(number, 'enabled')) === false;
}

/** What saving does, for each state that it changes. */
function Effects({
  editing,
  touched,
}: {
  readonly editing: FlagEditing;
  readonly touched: readonly string[];
}) {
  const project = useProject();
  const audienceName = useAudienceName();
  if (touched.length === 0) return null;
  const more = touched.length - effectsShownMax;
  return (
    <section aria-label="After saving">
      <Text size="sm" fw={600} mb={4}>
        After saving
      </Text>
      <ul className={classes.effects}>
        {touched.slice(0, effectsShownMax).map((number) => {
          const { state, cohortCount } = draftedReach(editing.handle, number);
          const environmentName = environmentOf(project, number)?.name ?? null;
          const name = state.audienceId === null ? null : audienceName(state.audienceId);
          return (
            <li key={number}>
              {staysOff(editing, number)
                ? `${environmentName === null ? 'Off' : `In ${environmentName}, off`}: no answers change until it is switched on.`
                : effectOf(state, { cohortCount, environmentName, audienceName: name })}
            </li>
          );
        })}
        {more > 0 && <li>and {countOf(more, 'more environment')}</li>}
      </ul>
    </section>
  );
}

/** Protected environments that the draft changes, apart from those where no answer changes. */
function ProtectedWarning({
  editing,
  touched,
}: {
  readonly editing: FlagEditing;
  readonly touched: readonly string[];
}) {
  const project = useProject();
  const guarded = touched.filter((number) => isGuarded(project, number) && !staysOff(editing, number));
  const nameOf = (number: string) => environmentOf(project, number)?.name ?? 'This project';
  const acting = guarded.map(nameOf);
  const are = (names: readonly string[]) => (names.length === 1 ? 'is' : 'are');
  return (
    <>
      {acting.length > 0 && (
        <Text size="sm">
          <strong>{acting.join(', ')}</strong> {are(acting)} protected. Saving changes the answers of{' '}
          <strong>{visibleName(editing.flag.name)}</strong> there at once.
        </Text>
      )}
    </>
  );
}

/** Who has saved another value of a field that clashes: the newest entry of the audit log that is about one. */
function useLastEditor({ id, projectId, revision }: ConsoleFlagView, { clashes }: DraftHandle) {
  const project = useProject();
  const { member } = useSession();
  const found = useQuery({
    queryKey: [projectId, 'last-editor', id, revision],
    queryFn: ({ signal }) => call('list-project-audit', { projectId }, null, { query: { flag: id }, signal }),
    enabled: clashes.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const fields = new Set(
    clashes.map((clash) => {
      const { environment, field } = showFlagChange(project)({ key: clash.key, before: null, after: null });
      return `${environment}/${field}`;
    }),
  );
  const isOfClash = ({ environment, changes }: AuditEntryView) =>
    changes
      .map((change) => splitField({ ...change, environment }))
      .some((change) => fields.has(`${change.environment}/${change.field}`));
  const actor = found.data?.entries.find(isOfClash)?.actor;
  if (actor === undefined) return undefined;
  if (actor.kind === 'member' && actor.id === member.id) return ownOtherWindow;
  return actor.kind === 'operator' ? 'the operator' : visibleName(actor.name);
}

/** Why the draft cannot be saved; null when it can. */
function problemOf({ value, unfit }: DraftHandle): string | null {
  if (value('name') === '') return 'A flag needs a name.';
  return Object.keys(unfit).length === 0 ? null : 'A rollout is no whole number from 0 to 100.';
}

export function FlagReview({ editing }: { readonly editing: FlagEditing }) {
  const project = useProject();
  const audienceName = useAudienceName();
  const { flag, handle } = editing;
  const touched = useTouched(editing);
  const who = useLastEditor(flag, handle);
  const { changes } = handle;
  const isWarned = touched.some((number) => isGuarded(project, number) && !staysOff(editing, number));
  const save = async () => {
    await editing.save();
    // What Undo brings back is a draft again, which is reviewed.
    const former = Object.fromEntries(changes.map(({ key, before }) => [key, before]));
    showDone(`Saved ${countOf(changes.length, 'change')} of ${visibleName(flag.name)}.`, () =>
      handle.restore(former),
    );
  };
  return (
    <ReviewBar
      handle={handle}
      show={showFlagChange(project)}
      audienceName={audienceName}
      what="this flag"
      {...(who === undefined ? {} : { who })}
      onSave={save}
      problem={problemOf(handle)}
      effect={<Effects editing={editing} touched={touched} />}
      warning={isWarned && <ProtectedWarning editing={editing} touched={touched} />}
    />
  );
}
