import type { KeyRange } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import type { Database, Databases } from './lmdb/environment.ts';
import type { RecordCodec } from './records/record-codec.ts';
import type { ReadView } from './snapshots.ts';

/** A range of a database; without `start` and `end` the whole database. */
export interface RangeOf extends Partial<KeyRange> {
  /** Descending; then `start` is excluded too (it is a prefix, never a key itself). */
  readonly isReversed?: boolean;
  readonly limit?: number;
}

export interface StoredRecord<T> {
  readonly key: Buffer;
  readonly record: T;
}

const firstKey = Buffer.of(0);
/** Longer than any key whose bytes are all ones: a secret's hash has 32 bytes, and may begin with any. */
const afterLastKey = Buffer.alloc(64, 0xff);

/** Decoded reads of one view. Ranges are lazy: consume them without awaiting in between. */
export class RecordSource {
  readonly #databases: Databases;
  readonly #view: ReadView;
  readonly #known: KnownRecords | null;

  /** @param known is updated with every write to the view, or cleared when the view takes another snapshot */
  constructor(databases: Databases, view: ReadView, known: KnownRecords | null = null) {
    this.#databases = databases;
    this.#view = view;
    this.#known = known;
  }

  /** The same reads on the view's present snapshot, until `release`. */
  pin(): { readonly source: RecordSource; release(): void } {
    const hold = this.#view.hold();
    return { source: new RecordSource(this.#databases, hold), release: hold.release };
  }

  /** @throws DamagedRecordError */
  find<T>(codec: RecordCodec<T>, key: Buffer): T | undefined {
    const known = this.#known?.find(codec.database, key);
    if (known !== undefined) return known as T;
    const bytes = this.findBytes(codec.database, key);
    if (bytes === undefined) return undefined;
    const record = codec.decode(key, bytes);
    this.#known?.add(codec.database, key, record, bytes.length);
    return record;
  }

  /** The value of an index entry. */
  findEntry(index: DatabaseName, key: Buffer): Buffer | undefined {
    const known = this.#known?.find(index, key);
    if (known !== undefined) return known as Buffer;
    const bytes = this.findBytes(index, key);
    if (bytes !== undefined) this.#known?.add(index, key, bytes, bytes.length);
    return bytes;
  }

  /** Reads a value without adding it to `known`: a scan of thousands would displace all others. */
  findBytes(database: DatabaseName, key: Buffer): Buffer | undefined {
    return this.#databases[database].get(key, this.#view.options);
  }

  /** The same as `findBytes`, in memory of lmdb's that its next read overwrites. */
  peekBytes(database: DatabaseName, key: Buffer): Uint8Array | undefined {
    const found = this.#databases[database].getBinaryFast(key, this.#view.options);
    return found === undefined ? undefined : new Uint8Array(found.buffer, found.byteOffset, found.length);
  }

  /** The first key of a database, or the first one not before `start`. */
  firstKey(database: DatabaseName, start?: Buffer): Buffer | undefined {
    if (this.#known?.isEmpty(database)) return undefined;
    const range = start === undefined ? {} : { start };
    for (const key of this.keys(database, { ...range, limit: 1 })) return key;
    if (start === undefined) this.#known?.noteEmpty(database);
    return undefined;
  }

  count(database: DatabaseName): number {
    return this.#databases[database].getKeysCount({ ...this.#view.options });
  }

  /** @throws DamagedRecordError at the damaged record. */
  *records<T>(codec: RecordCodec<T>, range: RangeOf = {}): Generator<StoredRecord<T>> {
    for (const { key, bytes } of this.entries(codec.database, range)) {
      yield { key, record: codec.decode(key, bytes) };
    }
  }

  *entries(database: DatabaseName, range: RangeOf = {}): Generator<{ key: Buffer; bytes: Buffer }> {
    const hold = this.#view.hold();
    try {
      const options = Object.assign(lmdbRange(range), hold.options);
      for (const { key, value } of this.#databases[database].getRange(options)) yield { key, bytes: value };
    } finally {
      hold.release();
    }
  }

  *keys(database: DatabaseName, range: RangeOf = {}): Generator<Buffer> {
    const hold = this.#view.hold();
    try {
      yield* this.#databases[database].getKeys(Object.assign(lmdbRange(range), hold.options));
    } finally {
      hold.release();
    }
  }
}

type LmdbRange = NonNullable<Parameters<Database['getRange']>[0]>;

/** A reversed range of lmdb begins at its `start`, the upper end, and excludes its `end`, the lower. */
function lmdbRange(range: RangeOf): LmdbRange {
  const { start = firstKey, end = afterLastKey, isReversed = false, limit } = range;
  const bounds: LmdbRange = isReversed ? { start: end, end: start, reverse: true } : { start, end };
  if (limit !== undefined) bounds.limit = limit;
  return bounds;
}

/** Entries in all, and bytes of each as stored: together at most some tens of megabytes. */
const recordsMax = 8192;
const recordBytesMax = 4096;

/**
 * Decoded records and index entries that were read. The writer notes each change of them here; a worker forgets all when
 * it takes another snapshot. Without this cache, reading a token, its project and its organisation again is a third of
 * the time for deciding a change.
 */
export class KnownRecords {
  readonly #records = new Map<DatabaseName, Map<string, unknown>>();
  readonly #empty = new Set<DatabaseName>();
  readonly #recordsMax: number;
  #count = 0;

  /** @param most records at once: beyond it, all are forgotten */
  constructor(most = recordsMax) {
    this.#recordsMax = most;
  }

  /** @returns the record, or undefined when it is not cached, which does not mean that there is none. */
  find(database: DatabaseName, key: Buffer): unknown {
    return this.#records.get(database)?.get(key.toString('latin1'));
  }

  add(database: DatabaseName, key: Buffer, record: unknown, bytes: number): void {
    if (bytes > recordBytesMax) return;
    if (this.#count >= this.#recordsMax) this.forgetAll();
    const table = this.#records.get(database) ?? new Map<string, unknown>();
    this.#records.set(database, table);
    const text = key.toString('latin1');
    if (!table.has(text)) this.#count += 1;
    table.set(text, record);
  }

  /** Notes a stored value. Only keys that were read before are cached: appended rows are never read. */
  replace(database: DatabaseName, key: Buffer, record: unknown, bytes: number): void {
    const table = this.#records.get(database);
    const text = key.toString('latin1');
    this.#empty.delete(database);
    if (!table?.has(text)) return;
    if (bytes <= recordBytesMax) table.set(text, record);
    else this.forget(database, key);
  }

  /** Whether the database was found empty, and nothing was stored in it since. */
  isEmpty(database: DatabaseName): boolean {
    return this.#empty.has(database);
  }

  noteEmpty(database: DatabaseName): void {
    this.#empty.add(database);
  }

  /** Records that are not known were stored or removed there. */
  forget(database: DatabaseName, key: Buffer): void {
    this.#empty.delete(database);
    if (this.#records.get(database)?.delete(key.toString('latin1'))) this.#count -= 1;
  }

  forgetAll(): void {
    if (this.#count === 0 && this.#empty.size === 0) return;
    this.#records.clear();
    this.#empty.clear();
    this.#count = 0;
  }
}
