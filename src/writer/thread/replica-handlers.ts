import type { ReplicaCalls, RowMessage } from '../../cluster/client/replica-protocol.ts';
import { decodeContent, NewerRowError, type ReplicaRow } from '../../storage/replica/log-row.ts';
import { DivergedError, type Replica } from '../../storage/replica/replica.ts';
import type { StateEntry } from '../../storage/replica/state.ts';
import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import { asBuffer } from '../../support/as-buffer.ts';
import { assert } from '../../support/assert.ts';
import type { CallHandlers } from '../../support/port-calls.ts';
import { PushedIterable } from '../../support/pushed-iterable.ts';
import type { UsageSharing } from './usage-sharing.ts';

/** Entries of a state that is being taken over. The cluster's thread sends no more before these are written. */
type StateBatch = readonly StateEntry[];

export interface ReplicaHandlerParts {
  replicaOf(): Replica;
  usageOf(): UsageSharing;
  /** The replica has taken over another state. */
  onTaken(): void;
}

/** The cluster thread's calls to the replica. */
export function replicaHandlers({
  replicaOf,
  usageOf,
  onTaken,
}: ReplicaHandlerParts): CallHandlers<ReplicaCalls> {
  let entries: PushedIterable<StateBatch> | null = null;
  let becoming: Promise<number> | null = null;
  const bring = async (batch: StateBatch): Promise<null> => {
    assert(entries !== null && becoming !== null, 'beginState comes before addState');
    await Promise.race([entries.push(batch), becoming]);
    return null;
  };
  return {
    follow: (rows) => followed(replicaOf(), rows),
    beginState: (state) => {
      assert(entries === null, 'one state is taken over at a time');
      entries = new PushedIterable();
      becoming = replicaOf().become(state, entries);
      becoming.catch(() => undefined);
      return null;
    },
    addState: (bytes) => bring(stateEntries(bytes)),
    endState: async () => {
      entries?.end();
      try {
        const written = (await becoming) ?? 0;
        onTaken();
        return written;
      } finally {
        entries = null;
        becoming = null;
      }
    },
    takeUsage: ({ max }) => usageOf().take(max),
    keepUsage: (counts) => {
      for (const count of counts) usageOf().note(count);
      return null;
    },
    tellUsageAgain: () => {
      usageOf().sendAgain();
      return null;
    },
    addUsage: (counts) => {
      if (replicaOf().isBecoming) throw new Error('the replica takes over a newer state');
      usageOf().add(counts);
      return null;
    },
    giveUpState: async () => {
      entries?.fail(new Error('the state could not be read further'));
      await becoming?.catch(() => undefined);
      entries = null;
      becoming = null;
      return null;
    },
  };
}

function followed(replica: Replica, rows: readonly RowMessage[]): ReplicaCalls['follow']['result'] {
  try {
    const { position, checksum }: ReplicaPlace = replica.follow(rows.map(toLogRow));
    return { kind: 'applied', place: { position, checksum: new Uint8Array(checksum) } };
  } catch (fault) {
    if (fault instanceof DivergedError) return { kind: 'diverged', message: fault.message };
    if (fault instanceof NewerRowError) return { kind: 'newer', message: fault.message };
    throw fault;
  }
}

function stateEntries(bytes: Uint8Array): StateBatch {
  return decodeContent(bytes).writes.map(({ database, key, value }) => {
    assert(value !== null, 'an entry of a state has a value');
    return { database, key, value };
  });
}

/** @param row received by message, or decided by this node */
export function toLogRow(row: RowMessage | ReplicaRow): ReplicaRow {
  return { ...row, changes: asBuffer(row.changes), checksum: asBuffer(row.checksum) };
}
