import type { DatabaseName } from '../../storage/keys.ts';
import { encodeContent } from '../../storage/replica/log-row.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { openSnapshot } from '../sql/record-statements.ts';
import type { RecordRow } from '../sql/rows.ts';
import { requireReadable } from './newer-log.ts';
import { connectAs, type LinkOptions } from './primary-link.ts';
import type { ReplicaClient } from './replica-client.ts';

export interface TakenState {
  readonly position: number;
  /** Number of entries written or removed. */
  readonly written: number;
}

/**
 * Replaces the replica's content by PostgreSQL's, on a connection of its own, in one transaction on both sides.
 * Workers serve the last state meanwhile.
 * @param isOfAnotherPast called before the snapshot, whose transaction would block migrations of the table of nodes:
 * see `StateToTake`
 * @throws NewerLogError if a newer version has written to it
 */
export async function takeOverState(
  options: LinkOptions,
  replica: ReplicaClient,
  isOfAnotherPast: (connection: SqlConnection) => Promise<boolean>,
): Promise<TakenState> {
  const connection = await connectAs(options);
  try {
    const isAnother = await isOfAnotherPast(connection);
    const snapshot = await openSnapshot(connection);
    try {
      requireReadable(snapshot.head);
      const { position, checksum } = snapshot.head;
      const place = { position, checksum: Uint8Array.from(checksum) };
      const state = { place, node: options.self(), isOfAnotherPast: isAnother };
      const written = await replica.become(state, encoded(snapshot.batches()));
      return { position, written };
    } finally {
      await snapshot.close();
    }
  } finally {
    if (!connection.isOver) await connection.end();
  }
}

async function* encoded(batches: AsyncIterable<readonly RecordRow[]>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    // The replica refuses a database that this version does not know.
    const writes = batch.map((row) => ({ ...row, database: row.database as DatabaseName }));
    yield Uint8Array.from(encodeContent({ writes, logged: [] }));
  }
}
