import { isIdShaped } from '../../support/id-shape.ts';
import { describeKey, idKey, secretHashBytes } from '../keys/key-parts.ts';
import type { DatabaseName } from '../keys.ts';
import type { RecordIndex } from '../record-index.ts';
import type { RecordSource, StoredRecord } from '../record-source.ts';
import type { RecordCodec } from '../records/record-codec.ts';
import { DamagedRecordError } from '../store-error.ts';

/** A fault in the store. */
export interface Finding {
  /** Database and key. */
  readonly where: string;
  readonly what: string;
}

export function findingAt(database: DatabaseName, key: Uint8Array, what: string): Finding {
  return { where: `${database}/${describeKey(key)}`, what };
}

export interface Entry {
  readonly key: Buffer;
  readonly bytes: Buffer;
}

/** Walks the databases of one snapshot, counts entries, and continues after damaged ones. */
export class StoreWalk {
  readonly counts = new Map<DatabaseName, number>();
  readonly #source: RecordSource;

  constructor(source: RecordSource) {
    this.#source = source;
  }

  has<T>(codec: RecordCodec<T>, key: Buffer): boolean {
    return this.#source.findBytes(codec.database, key) !== undefined;
  }

  findBytes(database: DatabaseName, key: Buffer): Buffer | undefined {
    return this.#source.findBytes(database, key);
  }

  /** @returns null when it is missing, or damaged (which the walk of its own table reports). */
  find<T>(codec: RecordCodec<T>, key: Buffer): T | null {
    try {
      return this.#source.find(codec, key) ?? null;
    } catch (error) {
      if (error instanceof DamagedRecordError) return null;
      throw error;
    }
  }

  /** @returns null when the value is not an id, or its record cannot be read. */
  findById<T>(codec: RecordCodec<T>, id: string): T | null {
    return isIdShaped(id) ? this.find(codec, idKey(id)) : null;
  }

  /** Yields every record that can be decoded; each of the others is a finding. */
  *records<T>(
    codec: RecordCodec<T>,
    examine: (stored: StoredRecord<T>) => Iterable<Finding>,
  ): Generator<Finding> {
    yield* this.entries(codec.database, function* (entry) {
      const decoded = decodeOrDamage(codec, entry);
      if (decoded instanceof DamagedRecordError) yield findingAt(codec.database, entry.key, decoded.what);
      else yield* examine({ key: entry.key, record: decoded });
    });
  }

  *entries(database: DatabaseName, examine: (entry: Entry) => Iterable<Finding>): Generator<Finding> {
    this.counts.set(database, 0);
    try {
      for (const entry of this.#source.entries(database)) {
        this.counts.set(database, (this.counts.get(database) ?? 0) + 1);
        yield* examine(entry);
      }
    } catch (error) {
      yield { where: database, what: `cannot be read further: ${(error as Error).message}` };
    }
  }

  /** The entries that can be read, neither counted nor examined: the walk of their own table reports the others. */
  *readable(database: DatabaseName): Generator<Entry> {
    try {
      yield* this.#source.entries(database);
    } catch {
      // Reported there.
    }
  }

  /**
   * Checks that each record is stored under its id and has its index entries, and that every index entry names a
   * record.
   */
  *table<T extends { readonly id: string; readonly revision?: number }>(
    codec: RecordCodec<T>,
    indexes: readonly RecordIndex<T>[],
    examine: (record: T) => Iterable<Finding>,
  ): Generator<Finding> {
    const indexedIn = (index: RecordIndex<T>, record: T) => this.indexed(index, record);
    yield* this.records(codec, function* ({ key, record }) {
      yield* misplaced(codec, key, record);
      for (const index of indexes) yield* indexedIn(index, record);
      yield* examine(record);
    });
    for (const index of indexes) yield* this.index(index, codec);
  }

  /** `id` must be the id of an existing record. */
  *reference<T>(where: string, codec: RecordCodec<T>, id: string): Generator<Finding> {
    if (isIdShaped(id) && this.has(codec, idKey(id))) return;
    yield { where, what: `refers to ${codec.database}/${id}, which is missing` };
  }

  /** An index must name the record under the record's own key. */
  *indexed<T>(index: RecordIndex<T>, record: T): Generator<Finding> {
    for (const key of index.keysOf(record)) {
      const bytes = this.#source.findBytes(index.database, key);
      if (bytes === undefined) yield findingAt(index.database, key, 'the entry of a record is missing');
      else if (!bytes.equals(index.valueOf(record))) {
        yield findingAt(index.database, key, 'the entry names another record');
      }
    }
  }

  /** Every index entry must name an existing record that has the entry's key. */
  *index<T>(index: RecordIndex<T>, codec: RecordCodec<T>): Generator<Finding> {
    const { database } = index;
    yield* this.entries(database, (entry) => {
      const recordKey = index.recordKeyOf(entry.key, entry.bytes);
      const name = `${codec.database}/${describeKey(recordKey)}`;
      if (!this.has(codec, recordKey))
        return [findingAt(database, entry.key, `names ${name}, which is missing`)];
      const record = this.find(codec, recordKey);
      if (record === null || index.keysOf(record).some((key) => key.equals(entry.key))) return [];
      return [findingAt(database, entry.key, `does not fit ${name}`)];
    });
  }
}

/** Damage is returned as a value here, so that the walk continues. */
export function decodeOrDamage<T>(codec: RecordCodec<T>, { key, bytes }: Entry): T | DamagedRecordError {
  try {
    return codec.decode(key, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return error;
    throw error;
  }
}

function* misplaced<T extends { readonly id: string; readonly revision?: number }>(
  { database }: RecordCodec<T>,
  key: Buffer,
  record: T,
): Generator<Finding> {
  if (record.id !== key.toString('latin1')) yield findingAt(database, key, `is the record of ${record.id}`);
  const isRevised = 'revision' in record;
  if (isRevised && !(Number(record.revision) >= 1))
    yield findingAt(database, key, `has revision ${record.revision}`);
}

/** @returns a finding unless the hash of a secret has the right length */
export function* checkHash(where: string, hash: Uint8Array): Generator<Finding> {
  if (hash.length !== secretHashBytes) yield { where, what: `has a secret hash of ${hash.length} bytes` };
}
