import { counterRecord, metaKeys, type ReplicaPlace, replicaPlaceRecord } from '../tables/meta.ts';
import type { WriteTarget } from '../write-target.ts';
import type { StateParts } from './replace-state.ts';

/** What a replica notes for itself, in the transactions that make it true. */
export interface ReplicaNotes {
  readonly place: ReplicaPlace;
  /** What it applied earlier may not be in the cluster any more: the next change begins another history. */
  readonly hasAnotherPast: boolean;
}

/** Of a store that has followed no log yet, or does so no more. */
export const noNotes: ReplicaNotes = {
  place: { position: 0, checksum: Buffer.alloc(32) },
  hasAnotherPast: false,
};

/** Outside of transactions. */
export function readNotes({ opened, target: { source } }: StateParts): ReplicaNotes {
  try {
    const place = source.find(replicaPlaceRecord, metaKeys.replica);
    if (place === undefined) return noNotes;
    return { place, hasAnotherPast: source.find(counterRecord, metaKeys.anotherPast) !== undefined };
  } finally {
    opened.root.resetReadTxn();
  }
}

/** Within a write transaction. @param before what is noted there */
export function putNotes(
  target: WriteTarget,
  before: ReplicaNotes,
  { place, hasAnotherPast }: ReplicaNotes,
): void {
  target.put(replicaPlaceRecord, metaKeys.replica, place);
  if (hasAnotherPast === before.hasAnotherPast) return;
  if (hasAnotherPast) target.put(counterRecord, metaKeys.anotherPast, 1);
  else target.remove('meta', metaKeys.anotherPast);
}

/** Within a write transaction. */
export function removeNotes(target: WriteTarget): void {
  target.remove('meta', metaKeys.replica);
  target.remove('meta', metaKeys.anotherPast);
}
