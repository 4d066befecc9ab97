import type { AnnouncedTransactions } from '../announced-transactions.ts';
import type { RequireRoom } from '../lmdb/written-space.ts';
import type { WritableStore } from '../store-opening.ts';
import { finishChangeLog } from '../tables/change-log.ts';
import type { ReplicaPlace } from '../tables/meta.ts';
import type { WriteTarget } from '../write-target.ts';
import { becomeState, type StateEntry } from './state.ts';

/** Entries of a state that are written between two checks of the room on the disk. */
const entriesBetweenChecks = 256;

/** A state of the cluster that a replica is to become. */
export interface StateToTake {
  readonly place: ReplicaPlace;
  /** Whose decisions are made on it from then on. */
  readonly node: string;
  /**
   * The numbers of changes that clients have may not belong to this state: PostgreSQL has lost changes that were
   * applied here, or no node was running that would have noticed such a loss.
   */
  readonly isOfAnotherPast: boolean;
}

/** The parts of its store that a takeover uses. */
export interface StateParts {
  readonly opened: WritableStore;
  readonly target: WriteTarget;
  readonly transactions: AnnouncedTransactions;
  readonly changeLogEntriesMax: number;
  /** Called before each commit of the replica: a write that the disk refuses would end the whole process. */
  readonly requireRoom: RequireRoom;
}

/**
 * Makes a store equal to a state of the cluster, in one transaction: readers see the old state until it is durable.
 * @param batches its entries, in the order of database and key
 * @param finish within the transaction, puts the replica's own notes
 * @returns how many entries were written or removed
 */
export async function replaceState(
  { opened, target, transactions, changeLogEntriesMax, requireRoom }: StateParts,
  batches: AsyncIterable<readonly StateEntry[]>,
  finish: () => void,
): Promise<number> {
  const countWritten = (bytes: number): void => {
    target.space.count(bytes);
    if (target.space.entries % entriesBetweenChecks === 0) requireRoom(target.space.growthMax(opened.root));
  };
  target.forget();
  target.begin();
  return transactions.runThroughout(async () => {
    const count = await becomeState(opened.databases, batches, countWritten);
    target.log({ kind: 'everything', projectId: '', id: '', environment: null });
    finishChangeLog(target, changeLogEntriesMax);
    finish();
    requireRoom(target.space.growthMax(opened.root));
    return count;
  });
}
