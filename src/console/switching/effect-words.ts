import { reachOf } from '../../domain/flag/reach.ts';
import { visibleName } from '../parts/visible-name.ts';
import { numberWords } from '../parts/words.ts';

/** A state of a flag, with as much as decides whom it reaches. A row of the list has it, and a whole flag's state. */
export interface SwitchedState {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  /** Length of the environment's own list; null: it inherits the flag-wide one. */
  readonly cohortOverrideCount: number | null;
  readonly audienceId: string | null;
}

/** Where a state applies, and the names for describing its effect. */
export interface EffectScene {
  /** Length of the flag-wide list. */
  readonly cohortCount: number;
  /** Null in a single-environment project. */
  readonly environmentName: string | null;
  /** Of the state's audience; null: it has none, or its name is not known here. */
  readonly audienceName: string | null;
}

/** ` in production`; nothing in a single-environment project. */
export function placeWords(environmentName: string | null): string {
  return environmentName === null ? '' : ` in ${visibleName(environmentName)}`;
}

/** The cohorts that are on at any percentage, as the subject of a sentence; null: there are none. */
function cohortWords(count: number): string | null {
  if (count === 0) return null;
  return count === 1 ? 'the listed cohort' : `the ${numberWords(count)} listed cohorts`;
}

/** The callers that the audience and the percentage let in. */
function callerWords({ trafficPercentage, audienceId }: SwitchedState, audienceName: string | null): string {
  const share = trafficPercentage === 100 ? '' : `${trafficPercentage}% of `;
  if (audienceId === null) return `${share}callers`;
  const audience = audienceName === null ? 'its audience' : `the audience ${visibleName(audienceName)}`;
  return `${share}callers in ${audience}`;
}

/** Which callers get "on", as a sentence; `In production, ` may precede it. */
function whoGetsOn(state: SwitchedState, { cohortCount: shared, audienceName }: EffectScene): string {
  const cohortCount = state.cohortOverrideCount ?? shared;
  const cohorts = cohortWords(cohortCount);
  if (state.trafficPercentage === 0) {
    return `only ${cohorts} ${cohortCount === 1 ? 'gets' : 'get'} “on”: the rollout is at 0%.`;
  }
  const subject = [cohorts, callerWords(state, audienceName)].filter((part) => part !== null).join(' and ');
  return `${subject} get “on”${state.audienceId === null ? '' : '; all others get “off”'}.`;
}

const wholeEffects = {
  off: 'every caller gets “off”.',
  nobody: 'nobody gets “on”: the rollout is at 0% and no cohorts are listed.',
  all: 'every caller gets “on”.',
};

/** Says in a sentence who gets "on" from a state, exactly as it is: what does not decide is not mentioned. */
export function effectOf(state: SwitchedState, scene: EffectScene): string {
  const reach = reachOf(state, scene.cohortCount);
  const effect = reach === 'some' ? whoGetsOn(state, scene) : wholeEffects[reach];
  const { environmentName } = scene;
  if (environmentName !== null) return `In ${visibleName(environmentName)}, ${effect}`;
  return `${effect.slice(0, 1).toUpperCase()}${effect.slice(1)}`;
}

/** A scene after a switch. */
interface SwitchedScene extends EffectScene {
  /** Another member had switched before: nothing was changed. */
  readonly wasSo: boolean;
}

/** What has happened, for a notice: short when the switch decides alone. */
export function switchedWords(flagName: string, state: SwitchedState, scene: SwitchedScene): string {
  const subject = `${visibleName(flagName)} ${scene.wasSo ? 'was already' : 'is'}`;
  const place = placeWords(scene.environmentName);
  const reach = reachOf(state, scene.cohortCount);
  if (reach === 'off') return `${subject} off${place}.`;
  if (reach === 'nobody') return `${subject} on${place}, but reaches nobody.`;
  return `${subject} on${place}. ${effectOf(state, { ...scene, environmentName: null })}`;
}
