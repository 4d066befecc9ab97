import { describeKey } from '../../storage/keys/key-parts.ts';
import type { ReplicaView } from '../../storage/replica/replica-view.ts';
import type { StateEntry } from '../../storage/replica/state.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readKeptChecksum } from '../sql/head-statements.ts';
import { openSnapshot, type PlacedRecord } from '../sql/record-statements.ts';
import type { Head } from '../sql/rows.ts';
import { digestOf, LogWalk, recordName } from './log-walk.ts';

/** Maximum of findings that are listed. */
const findingsListedMax = 1000;

export interface ClusterCheck {
  readonly head: Head;
  /** Number of log rows and records read. */
  readonly rows: number;
  readonly records: number;
  /** The compared replica, if any. */
  readonly replica: { readonly position: number; readonly entries: number } | null;
  readonly findings: readonly string[];
  readonly findingCount: number;
}

/** Findings. Only the first are kept; the others are counted. */
export class Findings {
  readonly listed: string[] = [];
  count = 0;

  readonly add = (finding: string): void => {
    this.count += 1;
    if (this.listed.length < findingsListedMax) this.listed.push(finding);
  };
}

/**
 * Checks one snapshot of a cluster: the checksums of its log from the oldest row to the head, the records against the
 * log, and a replica against both. The replica may be at any position, and be served meanwhile: records written after
 * its position are compared with the log, all others with the replica.
 * @param replica opened before the snapshot, so that it is only ahead if PostgreSQL has lost something
 * @throws NoClusterError
 */
export async function checkCluster(
  connection: SqlConnection,
  replica: ReplicaView | null,
): Promise<ClusterCheck> {
  const findings = new Findings();
  const snapshot = await openSnapshot(connection);
  const { head } = snapshot;
  const log = new LogWalk(head, await readKeptChecksum(connection), findings.add);
  await log.walk(connection);
  const place = replica === null ? null : comparablePlace(replica, head, log, findings);
  const records = new RecordWalk(head, log, findings);
  const walk = place === null ? null : new ReplicaWalk(replica?.state() ?? [], place, log, findings);
  for await (const batch of snapshot.batches()) {
    for (const record of batch) {
      records.read(record);
      walk?.read(record);
    }
  }
  records.finish();
  walk?.finish();
  await snapshot.close();
  return {
    head,
    rows: log.rows,
    records: records.count,
    replica: place === null || walk === null ? null : { position: place, entries: walk.count },
    findings: findings.listed,
    findingCount: findings.count,
  };
}

/** @returns the position of a replica of this history; for another one, adds a finding and returns null */
function comparablePlace(
  { storeId, place }: ReplicaView,
  head: Head,
  log: LogWalk,
  { add }: Findings,
): number | null {
  if (storeId !== head.store) {
    add(`replica: it is of store ${storeId}, and the cluster has store ${head.store}`);
    return null;
  }
  if (place === null) {
    add('replica: the directory holds a store of its own, which follows no cluster');
    return null;
  }
  const { position, checksum } = place;
  if (position > head.position) {
    add(
      `replica: it is at ${position}, ahead of the cluster at ${head.position}, which has lost what followed`,
    );
    return null;
  }
  const known = log.checksumAt(position);
  if (known === null) {
    add(`replica: it is at ${position}, and the log has ${head.keptFrom} and newer: served, it begins anew`);
    return null;
  }
  if (Buffer.compare(known, checksum) === 0) return position;
  add(`replica: at ${position} it is of another history: served, it begins anew`);
  return null;
}

/** Compares records with their last writes in the log. */
class RecordWalk {
  count = 0;
  readonly #head: Head;
  readonly #log: LogWalk;
  readonly #findings: Findings;
  /** Records written by the log that were not found yet. */
  readonly #left: Map<string, number>;

  constructor(head: Head, log: LogWalk, findings: Findings) {
    this.#head = head;
    this.#log = log;
    this.#findings = findings;
    const put = [...log.writes].filter(([, { digest }]) => digest !== null);
    this.#left = new Map(put.map(([name, { position }]) => [name, position]));
  }

  read({ database, key, value, position }: PlacedRecord): void {
    this.count += 1;
    const name = recordName(database, key);
    this.#left.delete(name);
    if (this.#log.damaged.has(position)) return;
    const what = this.#wrongWith(name, value, position);
    if (what !== null) this.#findings.add(`record ${describeRecord(database, key)}: ${what}`);
  }

  #wrongWith(name: string, value: Buffer, position: number): string | null {
    const write = this.#log.writes.get(name);
    if (write === undefined) {
      return position < this.#head.keptFrom ? null : `it is of row ${position}, which has not put it`;
    }
    if (write.digest === null) return `row ${write.position} has removed it`;
    if (write.position !== position)
      return `it is of row ${position}, and row ${write.position} has put it last`;
    return write.digest === digestOf(value) ? null : `row ${position} has put another value`;
  }

  finish(): void {
    for (const [name, position] of this.#left) {
      const [database = '', key = ''] = name.split('\0', 1).concat(name.slice(name.indexOf('\0') + 1));
      const where = describeRecord(database, Buffer.from(key, 'latin1'));
      this.#findings.add(`record ${where}: row ${position} has put it, and it is missing`);
    }
  }
}

/** Compares records with the entries of a replica, both in order. */
class ReplicaWalk {
  count = 0;
  readonly #entries: Iterator<StateEntry>;
  readonly #position: number;
  readonly #log: LogWalk;
  readonly #findings: Findings;
  #next: StateEntry | null;

  constructor(state: Iterable<StateEntry>, position: number, log: LogWalk, findings: Findings) {
    this.#entries = state[Symbol.iterator]();
    this.#position = position;
    this.#log = log;
    this.#findings = findings;
    this.#next = this.#advance();
  }

  read(record: PlacedRecord): void {
    while (this.#next !== null && compare(this.#next, record) < 0) this.#surplus(this.#next);
    const entry = this.#next !== null && compare(this.#next, record) === 0 ? this.#next : null;
    if (entry !== null) this.#next = this.#advance();
    if (this.#isNewer(record) || this.#log.damaged.has(record.position)) return;
    if (entry === null) this.#find(record, 'it is missing from the replica');
    else if (!entry.value.equals(record.value)) this.#find(record, 'the replica has another value');
  }

  finish(): void {
    while (this.#next !== null) this.#surplus(this.#next);
  }

  #surplus(entry: StateEntry): void {
    this.#next = this.#advance();
    if (!this.#isNewer(entry)) this.#find(entry, 'the replica has it, and the cluster has not');
  }

  /** Whether the log has a newer write than the replica, so that the log is compared. */
  #isNewer({ database, key }: Keyed): boolean {
    return (this.#log.writes.get(recordName(database, key))?.position ?? 0) > this.#position;
  }

  #advance(): StateEntry | null {
    const { value, done } = this.#entries.next();
    if (done === true) return null;
    this.count += 1;
    return value;
  }

  #find({ database, key }: Keyed, what: string): void {
    this.#findings.add(`replica ${describeRecord(database, key)}: ${what}`);
  }
}

function describeRecord(database: string, key: Buffer): string {
  return `${database}/${describeKey(key)}`;
}

type Keyed = Pick<StateEntry, 'key'> & { readonly database: string };

function compare(one: Keyed, other: Keyed): number {
  if (one.database !== other.database) return one.database < other.database ? -1 : 1;
  return Buffer.compare(one.key, other.key);
}
