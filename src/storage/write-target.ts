import type { KeyRange } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import type { Databases } from './lmdb/environment.ts';
import { WrittenSpace } from './lmdb/written-space.ts';
import { KnownRecords, RecordSource } from './record-source.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { writeTransactionView } from './snapshots.ts';

/**
 * Records that followers of the change log drop from their caches. `everything` stands for a transaction with too many
 * to list.
 */
export interface LoggedChange {
  readonly kind: 'flag' | 'project' | 'everything';
  /** Empty for `everything`. */
  readonly projectId: string;
  /** Id of the flag, the audience or the project itself; empty for `everything`. */
  readonly id: string;
  readonly environment: string | null;
}

/** A transaction of more changes than this is logged as one `everything`: followers drop all they have. */
const loggedChangesMax = 1000;
const everything: LoggedChange = { kind: 'everything', projectId: '', id: '', environment: null };

/** The open write transaction: its writes, reads that see them, and the changes that it has made. */
export class WriteTarget {
  readonly source: RecordSource;
  readonly space = new WrittenSpace();
  readonly tail = new WrittenTail();
  readonly #databases: Databases;
  readonly #known = new KnownRecords();
  #logged: LoggedChange[] = [];

  constructor(databases: Databases) {
    this.#databases = databases;
    this.source = new RecordSource(databases, writeTransactionView, this.#known);
  }

  /** Starts anew for the next transaction. */
  begin(): void {
    this.space.reset();
    this.#logged = [];
  }

  /** After a failed transaction: what it has read and written is not what the store has. */
  forget(): void {
    this.#known.forgetAll();
    this.tail.forget();
  }

  /** Notes a change for the change log, which is written at the end of the transaction. */
  log(change: LoggedChange): void {
    if (this.#logged.length <= loggedChangesMax) this.#logged.push(change);
  }

  get logged(): readonly LoggedChange[] {
    return this.#logged.length > loggedChangesMax ? [everything] : this.#logged;
  }

  put<T>(codec: RecordCodec<T>, key: Buffer, record: T): void {
    const bytes = codec.encode(key, record);
    this.#known.replace(codec.database, key, record, bytes.length);
    this.#put(codec.database, key, bytes);
  }

  putBytes(database: DatabaseName, key: Buffer, bytes: Buffer): void {
    this.#known.forget(database, key);
    this.#put(database, key, bytes);
  }

  #put(database: DatabaseName, key: Buffer, bytes: Buffer): void {
    this.space.count(key.length + bytes.length);
    this.#databases[database].putSync(key, bytes);
  }

  remove(database: DatabaseName, key: Buffer): void {
    this.#known.forget(database, key);
    this.space.count(0);
    this.#databases[database].removeSync(key);
  }

  removeRange(database: DatabaseName, range: KeyRange): void {
    for (const key of Array.from(this.source.keys(database, range))) this.remove(database, key);
  }
}

/** The last link of a ledger's hash chain. */
export interface LedgerHead {
  readonly sequence: number;
  readonly hash: Uint8Array;
}

/** Ledgers are organisations and personal projects: few of them are written to between two restarts. */
const headsMax = 4096;

/**
 * The ends of the databases with appended rows: the writer alone appends, so it need not read them after each commit.
 * After a failed transaction its notes are forgotten, and read again.
 */
class WrittenTail {
  /** Sequence of the oldest entry of the change log; null until it was read. */
  changeLogFirst: number | null = null;
  /** Sequence of the newest entry ever, 0 before the first; null until it was read. */
  changeLogLast: number | null = null;
  readonly #heads = new Map<string, LedgerHead>();

  head(ledgerId: string): LedgerHead | undefined {
    return this.#heads.get(ledgerId);
  }

  setHead(ledgerId: string, head: LedgerHead): void {
    if (this.#heads.size >= headsMax && !this.#heads.has(ledgerId)) this.#heads.clear();
    this.#heads.set(ledgerId, head);
  }

  forget(): void {
    this.changeLogFirst = null;
    this.changeLogLast = null;
    this.#heads.clear();
  }
}
