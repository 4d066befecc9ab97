import type { Table, Tables } from './environment.ts';
import type { KeyRange } from './keys/key-parts.ts';
import type { KnownRecords } from './known-records.ts';
import type { ReadView } from './read-view.ts';
import type { RecordCodec } from './records/record-codec.ts';

/** A range of a table; without `start` and `end` all of it. */
export interface RangeOf extends Partial<KeyRange> {
  /** From the end down; `start` is then excluded too (it is a prefix, never a key itself). */
  readonly isReversed?: boolean;
  readonly limit?: number;
}

export interface StoredRecord<T> {
  readonly key: Buffer;
  readonly record: T;
}

const firstKey = Buffer.of(0);
/** Longer than any key that is all ones: a secret's hash has 32 bytes, and may begin with any. */
const afterLastKey = Buffer.alloc(64, 0xff);

/** The reads of one view, decoded. Ranges are lazy: consume them before awaiting anything. */
export class RecordSource {
  readonly #tables: Tables;
  readonly #view: ReadView;
  readonly #known: KnownRecords | null;

  /** @param known of a view that always shows the newest, and whose every write is told to it */
  constructor(tables: Tables, view: ReadView, known: KnownRecords | null = null) {
    this.#tables = tables;
    this.#view = view;
    this.#known = known;
  }

  /** The same reads on the view's present snapshot, until `release`. */
  pin(): { readonly source: RecordSource; release(): void } {
    const hold = this.#view.hold();
    return { source: new RecordSource(this.#tables, hold), release: hold.release };
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

  /** An index entry's value. */
  findEntry(index: keyof Tables, key: Buffer): Buffer | undefined {
    const known = this.#known?.find(index, key);
    if (known !== undefined) return known as Buffer;
    const bytes = this.findBytes(index, key);
    if (bytes !== undefined) this.#known?.add(index, key, bytes, bytes.length);
    return bytes;
  }

  /** A value as it is, and not to be known afterwards: whoever looks through thousands would push out all others. */
  findBytes(table: keyof Tables, key: Buffer): Buffer | undefined {
    return this.#tables[table].get(key, this.#view.options);
  }

  /** As `findBytes`, in memory of lmdb's that its next read overwrites. */
  peekBytes(table: keyof Tables, key: Buffer): Uint8Array | undefined {
    const found = this.#tables[table].getBinaryFast(key, this.#view.options);
    return found === undefined ? undefined : new Uint8Array(found.buffer, found.byteOffset, found.length);
  }

  /** The first key of a table, or the first from `start` on. */
  firstKey(table: keyof Tables, start?: Buffer): Buffer | undefined {
    if (this.#known?.isEmpty(table)) return undefined;
    const range = start === undefined ? {} : { start };
    for (const key of this.keys(table, { ...range, limit: 1 })) return key;
    if (start === undefined) this.#known?.noteEmpty(table);
    return undefined;
  }

  count(table: keyof Tables): number {
    return this.#tables[table].getKeysCount({ ...this.#view.options });
  }

  /** @throws DamagedRecordError at the record that is damaged. */
  *records<T>(codec: RecordCodec<T>, range: RangeOf = {}): Generator<StoredRecord<T>> {
    for (const { key, bytes } of this.entries(codec.database, range)) {
      yield { key, record: codec.decode(key, bytes) };
    }
  }

  *entries(table: keyof Tables, range: RangeOf = {}): Generator<{ key: Buffer; bytes: Buffer }> {
    const hold = this.#view.hold();
    try {
      const options = { ...lmdbRange(range), ...hold.options };
      for (const { key, value } of this.#tables[table].getRange(options)) yield { key, bytes: value };
    } finally {
      hold.release();
    }
  }

  *keys(table: keyof Tables, range: RangeOf = {}): Generator<Buffer> {
    const hold = this.#view.hold();
    try {
      yield* this.#tables[table].getKeys({ ...lmdbRange(range), ...hold.options });
    } finally {
      hold.release();
    }
  }
}

type LmdbRange = NonNullable<Parameters<Table['getRange']>[0]>;

/** A reversed range of lmdb begins at its `start`, the upper end, and excludes its `end`, the lower. */
function lmdbRange(range: RangeOf): LmdbRange {
  const { start = firstKey, end = afterLastKey, isReversed = false, limit } = range;
  const bounds = isReversed ? { start: end, end: start, reverse: true } : { start, end };
  return limit === undefined ? bounds : { ...bounds, limit };
}
