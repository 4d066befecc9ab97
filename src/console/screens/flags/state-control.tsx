import { memo } from 'react';
import type { StateKind } from '../../../contracts/console/flag-views.ts';
import type { FlagItem } from '../../client/flag-list.ts';
import { BusyWords } from '../../parts/busy-switch.tsx';
import { Mark } from '../../parts/mark.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { placeWords } from '../../switching/effect-words.ts';
import { stateWords } from '../../switching/state-words.ts';
import { useFlagSwitch } from '../../switching/use-flag-switch.ts';
import type { FlagColumn } from './flag-columns.ts';
import classes from './state-control.module.css';

interface StateProps {
  readonly state: StateKind;
  readonly cohortCount: number;
}

interface WordsProps extends StateProps {
  readonly isMarked: boolean;
  readonly busy: string | null;
}

function Words({ state, cohortCount, isMarked, busy }: WordsProps) {
  const { tone, main, more } = stateWords(state, cohortCount);
  const first = isMarked ? (
    <Mark tone={tone} hasDot>
      {main}
    </Mark>
  ) : (
    <span className={classes.main}>{main}</span>
  );
  if (busy !== null) {
    return (
      <span className={classes.words}>
        {first}
        <span className={classes.more}>
          <BusyWords>{busy}</BusyWords>
        </span>
      </span>
    );
  }
  if (more === '') return first;
  return (
    <>
      <span className="heard">
        {main}, {more}
      </span>
      <span className={classes.words} title={`${main}, ${more}`} aria-hidden="true">
        {first}
        <span className={classes.more}>{more}</span>
      </span>
    </>
  );
}

interface StateControlProps {
  readonly projectId: string;
  readonly flag: FlagItem;
  readonly column: FlagColumn;
  readonly state: StateKind;
  readonly canEdit: boolean;
  /** Of the switch; -1 within a grid, for all but one. */
  readonly tabIndex?: number;
}

/** A state with its switch. */
function SwitchedState({ projectId, flag, column, state, tabIndex = 0 }: Omit<StateControlProps, 'canEdit'>) {
  const { id: flagId, name: flagName, revision, cohortCount } = flag;
  const { environment } = column;
  const { isProtected } = column;
  const { busy, choose } = useFlagSwitch({ projectId, flagId, flagName, environment, isProtected });
  const isOn = state.enabled;
  const button = (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={`${visibleName(flagName)}${placeWords(environment?.name ?? null)}`}
      aria-busy={busy !== null || undefined}
      className={classes.switch}
      tabIndex={tabIndex}
      onClick={() => choose(!isOn, { revision, cohortCount, state })}
    >
      <span className={classes.track}>
        <span className={classes.thumb} />
      </span>
    </button>
  );
  return (
    <>
      {button}
      <Words state={state} cohortCount={cohortCount} isMarked={false} busy={busy} />
    </>
  );
}

/** A state in words; for those who may change it, with its switch. */
export const StateControl = memo(function StateControl({ canEdit, ...props }: StateControlProps) {
  const { state, flag } = props;
  return (
    <span className={classes.control} data-tone={stateWords(state, flag.cohortCount).tone}>
      {canEdit ? (
        <SwitchedState {...props} />
      ) : (
        <Words state={state} cohortCount={flag.cohortCount} isMarked busy={null} />
      )}
    </span>
  );
});
