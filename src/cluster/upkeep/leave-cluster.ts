import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseName } from '../../storage/keys.ts';
import { DivergedError, type Replica } from '../../storage/replica/replica.ts';
import type { StateEntry } from '../../storage/replica/state.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readClusterHead } from '../sql/head-statements.ts';
import { rowsAfter } from '../sql/log-statements.ts';
import { closeCluster, openSnapshot } from '../sql/record-statements.ts';
import type { Head } from '../sql/rows.ts';
import { type NodeStatus, readStatus } from '../sql/upkeep-statements.ts';
import { silenceMs } from '../thread/lease-rules.ts';
import { requireReadable } from '../thread/newer-log.ts';

/** Maximum of attempts to close the cluster while nodes keep changing it. */
const attemptsMax = 20;
const lookEveryMs = 100;

/** Nodes are running that would lose their cluster. */
export class NodesRunError extends Error {
  readonly nodes: readonly NodeStatus[];

  constructor(nodes: readonly NodeStatus[]) {
    super('other nodes hold leases: stop them, or close the cluster under them with --force');
    this.nodes = nodes;
  }
}

/**
 * Brings a replica to the head of its cluster, closes the cluster there, and waits until no node treats its state as
 * current. It can be repeated after a crash.
 * @param isForced closes the cluster while nodes run
 * @throws NodesRunError, NewerRowError, NewerLogError
 */
export async function closeAtReplica(
  connection: SqlConnection,
  replica: Replica,
  isForced: boolean,
): Promise<void> {
  const nodes = await leaseholders(connection);
  if (nodes.length > 0 && !isForced) throw new NodesRunError(nodes);
  for (let attempt = 0; ; attempt += 1) {
    const head = await readClusterHead(connection);
    await bringTo(connection, replica, head);
    if (head.closedAt !== null || (await closeCluster(connection, replica.place.position))) break;
    if (attempt === attemptsMax) throw new Error('nodes change the store all the time: stop them first');
  }
  await leasesEnd(connection);
}

async function leaseholders(connection: SqlConnection): Promise<readonly NodeStatus[]> {
  const { nodes } = await readStatus(connection);
  return nodes.filter(({ renewedMsAgo, leaseMs }) => renewedMsAgo <= leaseMs);
}

/** Waits until running nodes have noticed the close and left, and all other leases have run out. */
async function leasesEnd(connection: SqlConnection): Promise<void> {
  const begunAt = monotonicMs();
  for (let longestMs = 0; ; ) {
    const holders = await leaseholders(connection);
    longestMs = Math.max(longestMs, ...holders.map(({ leaseMs }) => leaseMs));
    if (holders.length === 0 || monotonicMs() >= begunAt + silenceMs(longestMs)) return;
    await pause(lookEveryMs);
  }
}

/** Brings the replica to a head or further: nodes may commit changes meanwhile. */
async function bringTo(connection: SqlConnection, replica: Replica, head: Head): Promise<void> {
  while (replica.place.position < head.position) {
    if (!(await follow(connection, replica))) return await takeOver(connection, replica);
    if (replica.place.position > head.position) return;
  }
  const { position, checksum } = replica.place;
  const isThere = position === head.position && head.checksum.equals(checksum);
  if (!isThere) await takeOver(connection, replica);
}

/** @returns false when the replica cannot follow the log */
async function follow(connection: SqlConnection, replica: Replica): Promise<boolean> {
  const { rows } = await rowsAfter(connection, replica.place.position);
  if (rows.length === 0) return false;
  try {
    replica.follow(rows);
    return true;
  } catch (fault) {
    if (fault instanceof DivergedError) return false;
    throw fault;
  }
}

async function takeOver(connection: SqlConnection, replica: Replica): Promise<void> {
  const snapshot = await openSnapshot(connection);
  try {
    requireReadable(snapshot.head);
    // The replica refuses a database that this version does not know.
    const batches = snapshot.batches() as AsyncIterable<readonly (StateEntry & { database: DatabaseName })[]>;
    // A store that is served alone begins a history of its own.
    await replica.become({ place: snapshot.head, node: 'leave', isOfAnotherPast: false }, batches);
  } finally {
    await snapshot.close();
  }
}
