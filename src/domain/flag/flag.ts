import type { PackedList } from '../../support/packed-list.ts';
import { soleEnvironment } from '../project/project.ts';

/** The settings of a flag in one environment. */
export interface StateOf<List> {
  readonly enabled: boolean;
  /** Whole number, 0 to 100. */
  readonly trafficPercentage: number;
  /** The environment's own list, never empty; null inherits the flag-wide list (an empty list always means inherit). */
  readonly cohortOverride: List | null;
  /** Null means everyone. */
  readonly audienceId: string | null;
}

/**
 * A flag of either kind. A single-environment flag is a group flag with one environment (`soleEnvironment`) whose
 * flag-wide list is always empty, so that one set of rules serves both.
 */
export interface FlagOf<List> {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** When the flag took its name, Unix milliseconds; null: it does not answer to it (`flag-name.ts`). */
  readonly nameSince: number | null;
  /** Former names to which it still answers, newest first. */
  readonly aliases: readonly string[];
  readonly description: string;
  readonly tags: readonly string[];
  /** Flag-wide cohorts. Always empty on a single-environment flag. */
  readonly cohorts: List;
  /** By environment number; an environment without an entry has `initialState`. */
  readonly states: ReadonlyMap<number, StateOf<List>>;
  /** Counts the changes of this flag, from 1. */
  readonly revision: number;
  readonly createdAt: number;
  /** Unix milliseconds; strictly increases with each change of the flag. */
  readonly updatedAt: number;
}

export type FlagState = StateOf<readonly string[]>;
export type Flag = FlagOf<readonly string[]>;
/** A flag whose lists are their stored bytes, however long they are. */
export type PackedFlag = FlagOf<PackedList>;

export const initialState: StateOf<never> = {
  enabled: false,
  trafficPercentage: 0,
  cohortOverride: null,
  audienceId: null,
};

/** @param environmentNumber of an environment of the flag's project, or `soleEnvironment`. */
export function stateIn<List>(
  flag: Pick<FlagOf<List>, 'states'>,
  environmentNumber: number = soleEnvironment,
): StateOf<List> {
  return flag.states.get(environmentNumber) ?? initialState;
}

/** The environment's own override if it has one, otherwise the flag-wide list (specification: environments form). */
export function effectiveCohorts<List>(flag: Pick<FlagOf<List>, 'cohorts'>, state: StateOf<List>): List {
  return state.cohortOverride ?? flag.cohorts;
}

/** @returns all names to which a flag answers */
export function namesOf({
  name,
  nameSince,
  aliases,
}: Pick<Flag, 'name' | 'nameSince' | 'aliases'>): string[] {
  return nameSince === null ? [...aliases] : [name, ...aliases];
}

/** The larger of the clock and the last value plus one, so that `updatedAt` strictly increases (decisions). */
export function nextUpdatedAt(previous: number, now: number): number {
  return Math.max(now, previous + 1);
}
