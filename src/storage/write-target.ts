import { assert } from '../support/assert.ts';
import type { KeyRange } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import type { Databases } from './lmdb/environment.ts';
import { WrittenSpace } from './lmdb/written-space.ts';
import { KnownRecords, RecordSource } from './record-source.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { writeTransactionView } from './snapshots.ts';

/** What followers of the change log drop from their caches. `everything`: the transaction was too large to be listed. */
export interface LoggedChange {
  readonly kind: 'flag' | 'project' | 'everything';
  /** Empty for `everything`. */
  readonly projectId: string;
  /** Of the flag, the audience or the project itself; empty for `everything`. */
  readonly id: string;
  readonly environment: string | null;
}

/** A transaction of more changes than this is logged as one `everything`: followers drop all. */
const loggedChangesMax = 1000;
const everything: LoggedChange = { kind: 'everything', projectId: '', id: '', environment: null };

/** An entry that is put; removed, where `value` is null. */
export interface EntryWrite {
  readonly database: DatabaseName;
  readonly key: Buffer;
  readonly value: Buffer | null;
}

/** Records what a transaction writes. */
interface WriteWitness {
  /** @param value stays as it is */
  note(database: DatabaseName, key: Buffer, value: Buffer | null): void;
}

/** The open write transaction: its writes, reads that see them, and what it has changed. */
export class WriteTarget {
  readonly source: RecordSource;
  readonly space = new WrittenSpace();
  readonly tail = new WrittenTail();
  readonly #databases: Databases;
  readonly #known = new KnownRecords();
  #logged: LoggedChange[] = [];
  #witness: WriteWitness | null = null;
  #isOpen = false;

  constructor(databases: Databases) {
    this.#databases = databases;
    this.source = new RecordSource(databases, writeTransactionView, this.#known);
  }

  /** For the next transaction. */
  begin(witness: WriteWitness | null = null): void {
    this.#isOpen = true;
    this.space.reset();
    this.#logged = [];
    this.#witness = witness;
  }

  /** The transaction is over, kept or not. */
  end(): void {
    assert(this.#isOpen, 'a transaction that ends had begun');
    this.#isOpen = false;
  }

  /** After a transaction that failed: its reads and writes are not the state of the store. */
  forget(): void {
    this.#known.forgetAll();
    this.tail.forget();
  }

  /** Notes a change for the change log, which is written when the transaction ends. */
  log(change: LoggedChange): void {
    assert(this.#isOpen, 'what is logged belongs to a transaction');
    if (this.#logged.length <= loggedChangesMax) this.#logged.push(change);
  }

  get logged(): readonly LoggedChange[] {
    return this.#logged.length > loggedChangesMax ? [everything] : this.#logged;
  }

  /** @returns the bytes of the record */
  put<T>(codec: RecordCodec<T>, key: Buffer, record: T): number {
    const bytes = codec.encode(key, record);
    this.#known.replace(codec.database, key, record, bytes.length);
    this.#put(codec.database, key, bytes);
    return bytes.length;
  }

  putBytes(database: DatabaseName, key: Buffer, bytes: Buffer): void {
    this.#known.forget(database, key);
    this.#put(database, key, bytes);
  }

  #put(database: DatabaseName, key: Buffer, bytes: Buffer): void {
    assert(this.#isOpen, 'what is put belongs to a transaction');
    this.space.count(key.length + bytes.length);
    this.#witness?.note(database, key, bytes);
    this.#databases[database].putSync(key, bytes);
  }

  remove(database: DatabaseName, key: Buffer): void {
    assert(this.#isOpen, 'what is removed belongs to a transaction');
    this.#known.forget(database, key);
    this.space.count(0);
    this.#witness?.note(database, key, null);
    this.#databases[database].removeSync(key);
  }

  /** Writes an entry as another transaction has captured it. The caller clears the cache by `forget`. */
  replay({ database, key, value }: EntryWrite): void {
    if (value === null) this.#databases[database].removeSync(key);
    else this.#databases[database].putSync(key, value);
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

/** Ledgers are organisations and personal projects: far fewer are written to between two restarts. */
const headsMax = 4096;

/**
 * The ends of the appended databases. Only the writer appends, so it need not read them after each commit. When a
 * transaction fails, they are forgotten and read again.
 */
class WrittenTail {
  /** The sequence of the oldest entry of the change log; null until it was read. */
  changeLogFirst: number | null = null;
  /** The sequence of the newest entry ever given, 0 before the first; null until it was read. */
  changeLogLast: number | null = null;
  readonly #heads = new Map<string, LedgerHead>();

  head(ledgerId: string): LedgerHead | undefined {
    return this.#heads.get(ledgerId);
  }

  setHead(ledgerId: string, head: LedgerHead): void {
    const before = this.#heads.get(ledgerId)?.sequence ?? head.sequence - 1;
    assert(head.sequence === before + 1, 'the entries of a ledger count up one by one');
    if (this.#heads.size >= headsMax && !this.#heads.has(ledgerId)) this.#heads.clear();
    this.#heads.set(ledgerId, head);
  }

  forget(): void {
    this.changeLogFirst = null;
    this.changeLogLast = null;
    this.#heads.clear();
  }
}
