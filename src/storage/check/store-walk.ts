import { DamagedRecordError } from '../damaged-record-error.ts';
import { describeKey } from '../keys/describe-key.ts';
import type { DatabaseName } from '../keys.ts';
import type { RecordIndex } from '../record-indexes.ts';
import type { RecordSource, StoredRecord } from '../record-source.ts';
import type { RecordCodec } from '../records/record-codec.ts';
import { type Finding, findingAt } from './finding.ts';

export interface Entry {
  readonly key: Buffer;
  readonly bytes: Buffer;
}

/** Walks the databases of one snapshot, counts what it sees, and goes on after whatever is damaged. */
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

  /** @returns null when it is not there, or damaged (which its own walk reports). */
  find<T>(codec: RecordCodec<T>, key: Buffer): T | null {
    try {
      return this.#source.find(codec, key) ?? null;
    } catch (error) {
      if (error instanceof DamagedRecordError) return null;
      throw error;
    }
  }

  hasEntries(database: DatabaseName): boolean {
    return this.#source.count(database) > 0;
  }

  /** Every record that can be decoded; each that cannot is a finding. */
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

  /** An index must name the record under the record's own key. */
  *indexed<T>(index: RecordIndex<T>, record: T): Generator<Finding> {
    const key = index.keyOf(record);
    const bytes = this.#source.findBytes(index.database, key);
    if (bytes === undefined) yield findingAt(index.database, key, 'the entry of a record is missing');
    else if (!bytes.equals(index.valueOf(record))) {
      yield findingAt(index.database, key, 'the entry names another record');
    }
  }

  /** Every entry of an index must name a record that is there and has that key. */
  *index<T>(index: RecordIndex<T>, codec: RecordCodec<T>): Generator<Finding> {
    const { database } = index;
    yield* this.entries(database, (entry) => {
      const recordKey = index.recordKeyOf(entry);
      const name = `${codec.database}/${describeKey(recordKey)}`;
      if (!this.has(codec, recordKey))
        return [findingAt(database, entry.key, `names ${name}, which is missing`)];
      const record = this.find(codec, recordKey);
      if (record === null || index.keyOf(record).equals(entry.key)) return [];
      return [findingAt(database, entry.key, `does not fit ${name}`)];
    });
  }
}

/** The damage is a value here: the walk goes on. */
export function decodeOrDamage<T>(codec: RecordCodec<T>, { key, bytes }: Entry): T | DamagedRecordError {
  try {
    return codec.decode(key, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return error;
    throw error;
  }
}
