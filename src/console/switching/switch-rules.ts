import type { ConsoleFlagView } from '../../contracts/console/flag-views.ts';
import { reachOf } from '../../domain/flag/reach.ts';
import type { EditFlagBody } from '../../operations/flags/edit-flag.ts';
import type { Fields } from '../draft/draft.ts';
import { flagBody, stateKey } from '../draft/flag-fields.ts';
import type { SwitchedState } from './effect-words.ts';

/** The key of the only state in a single-environment project. */
const soleState = '0';

/** A switch: of one flag in one environment. */
export interface SwitchTarget {
  readonly projectId: string;
  readonly flagId: string;
  readonly flagName: string;
  /** Null in a single-environment project. */
  readonly environment: {
    readonly number: number;
    readonly name: string;
  } | null;
  /** Of the environment, or of a single-environment project. */
  readonly isProtected: boolean;
}

/** What is stored, as far as it decides what the switch does. */
export interface StoredSwitch {
  readonly revision: number;
  /** Length of the flag-wide list of cohorts. */
  readonly cohortCount: number;
  readonly state: SwitchedState;
}

/** Unsaved changes of the same state, which a person may want to save with the switch. */
export interface SwitchDraft {
  /** By the keys of `draft/flag-fields.ts`, without the switch itself. */
  readonly edits: Fields;
  /** The stored values of the same keys. */
  readonly before: Fields;
  /** Another member has saved first: the draft has to meet this. */
  readonly onConflict: (current: ConsoleFlagView) => void;
}

/** A wish to switch, with what the person was shown. */
export interface SwitchWish {
  readonly target: SwitchTarget;
  readonly stored: StoredSwitch;
  readonly next: boolean;
  /** Further fields that change with the switch, and their stored values; both empty for the switch alone. */
  readonly edits: Fields;
  readonly before: Fields;
  /** Takes back what was just done, so that what a switch asks about is known already. */
  readonly isUndo: boolean;
  /** The member was asked once, and another change has altered the effect since. */
  readonly isChanged: boolean;
  readonly draft: SwitchDraft | null;
  /** Called with what is then stored, and the keys that were sent. */
  readonly onStored: ((flag: ConsoleFlagView, keys: readonly string[]) => void) | null;
}

export function stateNumber({ environment }: SwitchTarget): string {
  return environment === null ? soleState : String(environment.number);
}

/** Names a switch among all that are pending. */
export function switchKey(target: SwitchTarget): string {
  return `${target.projectId}/${target.flagId}/${stateNumber(target)}`;
}

/** @returns null if the flag has no state there any more */
export function storedSwitch(flag: ConsoleFlagView, target: SwitchTarget): StoredSwitch | null {
  const found = flag.states[stateNumber(target)];
  if (found === undefined) return null;
  const { cohortOverride, ...state } = found;
  return {
    revision: flag.revision,
    cohortCount: flag.cohorts.length,
    state: { ...state, cohortOverrideCount: cohortOverride?.length ?? null },
  };
}

/**
 * What a person is asked before a switch acts: whether to save the unsaved changes with it, for whom a flag that would
 * reach nobody shall be on, or only whether it is meant, in a protected environment. Null: it acts at once. Switching
 * off has the same effect with or without unsaved changes.
 */
export type SwitchQuestion = 'draft' | 'nobody' | 'protected' | null;

export function questionOf({ target, stored, next, isUndo, draft }: SwitchWish): SwitchQuestion {
  if (next && !isUndo) {
    if (draft !== null) return 'draft';
    if (reachOf({ ...stored.state, enabled: true }, stored.cohortCount) === 'nobody') return 'nobody';
  }
  return target.isProtected ? 'protected' : null;
}

/** What would be stored with a wish. */
export function afterSwitch({ target, stored, next, edits }: SwitchWish): Omit<StoredSwitch, 'revision'> {
  const number = stateNumber(target);
  const edited = <Value>(key: string, before: Value): Value =>
    Object.hasOwn(edits, key) ? (edits[key] as Value) : before;
  const { trafficPercentage, audienceId, cohortOverrideCount } = stored.state;
  const [shared, own] = [edits['cohorts'], edits[stateKey(number, 'cohortOverride')]];
  return {
    cohortCount: Array.isArray(shared) ? shared.length : stored.cohortCount,
    state: {
      enabled: next,
      trafficPercentage: edited(stateKey(number, 'trafficPercentage'), trafficPercentage),
      audienceId: edited(stateKey(number, 'audienceId'), audienceId),
      cohortOverrideCount: Array.isArray(own) ? own.length : own === null ? null : cohortOverrideCount,
    },
  };
}

/** Whether a switch still has the effect that was shown, although the flag was changed meanwhile. */
export function isStillMeant({ next, stored }: SwitchWish, current: StoredSwitch): boolean {
  if (!next) return true;
  const [was, is] = [stored, current].map(({ state, cohortCount }) => [
    state.trafficPercentage,
    state.audienceId,
    state.cohortOverrideCount ?? cohortCount,
  ]);
  return JSON.stringify(was) === JSON.stringify(is);
}

/** The keys of the fields that a wish changes. */
export function keysOf({ target, edits }: SwitchWish): readonly string[] {
  return [stateKey(stateNumber(target), 'enabled'), ...Object.keys(edits)];
}

/** The request for a wish. @param revision of what is stored */
export function switchBody({ target, next, edits }: SwitchWish, revision: number): EditFlagBody {
  return flagBody(revision, { [stateKey(stateNumber(target), 'enabled')]: next, ...edits });
}
