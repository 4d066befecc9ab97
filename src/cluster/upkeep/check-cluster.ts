import { hash } from 'node:crypto';
import { describeKey } from '../../storage/keys/key-parts.ts';
import { chainChecksum, decodeContent, NewerRowError } from '../../storage/replica/log-row.ts';
import type { ReplicaView } from '../../storage/replica/replica-view.ts';
import { isOfState, type StateEntry } from '../../storage/replica/state.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readKeptChecksum } from '../sql/head-statements.ts';
import { rowsAfter } from '../sql/log-statements.ts';
import { openSnapshot, type PlacedRecord } from '../sql/record-statements.ts';
import type { Head, LogRow } from '../sql/rows.ts';

/** The last write of a record in the log. */
interface LastWrite {
  readonly position: number;
  /** Digest of its value; null if it was removed. */
  readonly digest: string | null;
}

/** @returns a digest to compare a value without keeping it */
function digestOf(value: Uint8Array): string {
  return hash('sha256', value, 'base64');
}

/** @returns a unique name of a record */
function recordName(database: string, key: Buffer): string {
  return `${database}\0${key.toString('latin1')}`;
}

/**
 * Reads the log from its oldest row to its head, verifies its checksums, and records the last write of each record.
 */
class LogWalk {
  /** Last writes by record. */
  readonly writes = new Map<string, LastWrite>();
  /** Positions whose rows are missing or changed, so that their writes are unknown. */
  readonly damaged = new Set<number>();
  rows = 0;
  readonly #head: Head;
  readonly #find: (finding: string) => void;
  #position: number;
  #checksum: Uint8Array;
  readonly #checksums = new Map<number, Uint8Array>();

  /**
   * @param before the checksum at `keptFrom` - 1
   */
  constructor(head: Head, before: Uint8Array, find: (finding: string) => void) {
    this.#head = head;
    this.#find = find;
    this.#position = head.keptFrom - 1;
    this.#checksum = before;
    this.#checksums.set(this.#position, before);
  }

  /** @param connection in the transaction in which the head was read */
  async walk(connection: SqlConnection): Promise<void> {
    for (;;) {
      const { rows } = await rowsAfter(connection, this.#position);
      if (rows.length === 0) break;
      for (const row of rows) this.#read(row);
    }
    const { position, checksum } = this.#head;
    if (this.#position < position) this.#lack(this.#position + 1, position);
    else if (this.#position > position) this.#find(`log: it goes on beyond the head, to ${this.#position}`);
    else if (!checksum.equals(this.#checksum))
      this.#find(`head: its checksum is not that of position ${position}`);
  }

  /** @returns the checksum at a position; null if it is not kept */
  checksumAt(position: number): Uint8Array | null {
    return this.#checksums.get(position) ?? null;
  }

  #read(row: LogRow): void {
    this.rows += 1;
    const isNext = row.position === this.#position + 1;
    if (!isNext) this.#lack(this.#position + 1, row.position - 1);
    else if (!chainChecksum(this.#checksum, row).equals(row.checksum)) {
      this.damaged.add(row.position);
      this.#find(`log/${row.position}: the row is not what was committed: its checksum is another`);
    }
    this.#position = row.position;
    this.#checksum = row.checksum;
    this.#checksums.set(row.position, row.checksum);
    this.#note(row);
  }

  #lack(from: number, to: number): void {
    this.#find(`log/${from}: ${from === to ? 'the row is' : `all rows to ${to} are`} missing, or incomplete`);
    for (let position = from; position <= to; position += 1) this.damaged.add(position);
  }

  #note({ position, changes }: LogRow): void {
    if (this.damaged.has(position)) return;
    try {
      for (const write of decodeContent(changes).writes) {
        if (!isOfState(write)) continue;
        const digest = write.value === null ? null : digestOf(write.value);
        this.writes.set(recordName(write.database, write.key), { position, digest });
      }
    } catch (fault) {
      if (!(fault instanceof NewerRowError || fault instanceof RangeError)) throw fault;
      this.damaged.add(position);
      this.#find(`log/${position}: the row cannot be read: ${fault.message}`);
    }
  }
}

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
