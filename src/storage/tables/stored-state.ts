import type { Flag, FlagState, PackedFlag, StateOf } from '../../domain/flag/flag.ts';
import type { PackedList } from '../../support/packed-list.ts';
import { unpackTexts } from '../records/row-reader.ts';

/**
 * An environment's settings whose list becomes strings only when it is asked for, and is stored again as the bytes that it
 * was read from. A flag may have a list of a megabyte in each of a hundred environments, and a change concerns one.
 */
class StoredState implements FlagState {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  /** A property of the object itself, so that a copy of it has the list. Such a copy is no `StoredState`. */
  declare readonly cohortOverride: readonly string[];
  readonly audienceId: string | null;
  readonly #packed: PackedList;

  constructor({ enabled, trafficPercentage, audienceId }: StateOf<PackedList>, packed: PackedList) {
    this.enabled = enabled;
    this.trafficPercentage = trafficPercentage;
    this.audienceId = audienceId;
    this.#packed = packed;
    let list: readonly string[] | null = null;
    const get = (): readonly string[] => {
      list ??= unpackTexts(packed);
      return list;
    };
    Object.defineProperty(this, 'cohortOverride', { enumerable: true, get });
  }

  static packedOf(state: FlagState): PackedList | null {
    return #packed in state ? state.#packed : null;
  }
}

/** @returns the list as it is to be stored: its bytes where it comes from the store */
export function storableOverride(state: FlagState): readonly string[] | PackedList | null {
  return StoredState.packedOf(state) ?? state.cohortOverride;
}

/** @param flag whose lists are in memory that does not change */
export function storedFlag(flag: PackedFlag): Flag {
  const states = new Map<number, FlagState>();
  for (const [environmentNumber, state] of flag.states) {
    const { enabled, trafficPercentage, cohortOverride, audienceId } = state;
    if (cohortOverride === null) {
      states.set(environmentNumber, { enabled, trafficPercentage, cohortOverride, audienceId });
    } else states.set(environmentNumber, new StoredState(state, cohortOverride));
  }
  return { ...flag, cohorts: unpackTexts(flag.cohorts), states };
}
