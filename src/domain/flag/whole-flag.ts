import { environmentNumbers, type Project, soleEnvironment } from '../project/project.ts';
import { type Flag, type FlagState, initialState, stateIn } from './flag.ts';
import type { FlagLabels } from './flag-labels.ts';

/**
 * A flag as members see and edit it. It differs from the stored one in two ways: it has a state for every present
 * environment of the project, and no other; and the only list of a single-environment flag is in `cohorts`, but is
 * stored as the override of its only state. This file alone knows of that.
 */
export interface WholeFlag extends FlagLabels {
  /** Flag-wide; the only list of a single-environment flag. */
  readonly cohorts: readonly string[];
  /** By environment number, in the project's order; `soleEnvironment` alone in a single-environment project. */
  readonly states: ReadonlyMap<number, FlagState>;
}

export function wholeFlag(flag: Flag, project: Project): WholeFlag {
  const { name, description, tags } = flag;
  const labels = { name, description, tags };
  if (!project.isMultiEnvironment) {
    const { cohortOverride, ...rest } = stateIn(flag, soleEnvironment);
    const state = { ...rest, cohortOverride: null };
    // The flag-wide list of such a flag is always empty.
    return {
      ...labels,
      cohorts: cohortOverride ?? flag.cohorts,
      states: new Map([[soleEnvironment, state]]),
    };
  }
  const states = environmentNumbers(project).map((number) => [number, stateIn(flag, number)] as const);
  return { ...labels, cohorts: flag.cohorts, states: new Map(states) };
}

/** Converts a whole flag to its stored form. A state with all defaults has no entry. */
export function storedLists(whole: WholeFlag, project: Project): Pick<Flag, 'cohorts' | 'states'> {
  if (project.isMultiEnvironment) return { cohorts: whole.cohorts, states: withoutDefaults(whole.states) };
  const state = whole.states.get(soleEnvironment) ?? initialState;
  const cohortOverride = whole.cohorts.length === 0 ? null : whole.cohorts;
  return { cohorts: [], states: withoutDefaults([[soleEnvironment, { ...state, cohortOverride }]]) };
}

/** The flag without states of deleted environments: its record does not grow with each environment that its project ever had. */
export function withPresentStates(flag: Flag, project: Project): Flag {
  const present = environmentNumbers(project);
  const states = Array.from(flag.states).filter(([number]) => present.includes(number));
  return states.length === flag.states.size ? flag : { ...flag, states: new Map(states) };
}

function withoutDefaults(states: Iterable<readonly [number, FlagState]>): ReadonlyMap<number, FlagState> {
  return new Map(Array.from(states).filter(([, state]) => !isInitial(state)));
}

function isInitial({ enabled, trafficPercentage, cohortOverride, audienceId }: FlagState): boolean {
  return !enabled && trafficPercentage === 0 && cohortOverride === null && audienceId === null;
}
