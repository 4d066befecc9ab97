import { closeSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type DatabaseName, databaseNames } from '../keys.ts';
import {
  checkHeads,
  checkPages,
  DamagedPagesError,
  type DatabaseSize,
  type TreeEntry,
} from '../lmdb/check-pages.ts';
import { DamagedRecordError } from '../store-error.ts';
import type { RecordKind } from '../tables/table.ts';
import { recordKinds } from '../tables/tables.ts';

export interface DataFileCheck {
  /** The most bytes of entries that are read. Beyond them, only the pages that lead to entries are checked. */
  readonly bytesMax: number;
  /** The marker exists, so the store has every database. */
  readonly isComplete: boolean;
}

/** Databases of histories: they only grow, and no answer of either API depends on them. */
const histories: ReadonlySet<string> = new Set<DatabaseName>(['audit', 'activity', 'outbox']);

/**
 * Checks a data file that no process writes, before lmdb maps it: every page that leads to others, and the entries of the
 * databases that answers depend on, if they are within the limit; if there is room, the entries of all.
 *
 * @returns the first fault; null for none
 */
export function checkDataFile(path: string, { bytesMax, isComplete }: DataFileCheck): string | null {
  const descriptor = openSync(path, 'r');
  const content = new ContentCheck();
  try {
    let chosen: ReadonlySet<string> = new Set();
    const choose = (found: readonly DatabaseSize[]): ReadonlySet<string> => {
      if (isComplete) content.requireDatabases(found.map(({ name }) => name));
      chosen = namesWithin(found, bytesMax);
      return chosen;
    };
    checkPages(descriptor, checkHeads(descriptor), { choose, begin: (name) => content.begin(name) });
    if (chosen.size > 0) content.requireIndexes();
    return null;
  } catch (error) {
    if (error instanceof DamagedPagesError || error instanceof DamagedRecordError) return error.message;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The databases whose entries are read: all, all but the histories, or none. */
function namesWithin(found: readonly DatabaseSize[], bytesMax: number): ReadonlySet<string> {
  for (const some of [found, found.filter(({ name }) => !histories.has(name))]) {
    if (some.reduce((sum, { bytes }) => sum + bytes, 0) <= bytesMax)
      return new Set(some.map(({ name }) => name));
  }
  return new Set();
}

type LookAt = (entry: TreeEntry) => void;

/** A sum of an index' entries that does not depend on their order. */
class IndexSum {
  #entries = 0;
  #sum = 0;

  add(key: Buffer, value: Buffer): void {
    this.#entries += 1;
    const keySum = crc32(key);
    // An empty buffer without memory makes crc32 return 0 and drop the sum so far.
    this.#sum = (this.#sum + (value.length === 0 ? keySum : crc32(value, keySum))) >>> 0;
  }

  equals(other: IndexSum): boolean {
    return this.#entries === other.#entries && this.#sum === other.#sum;
  }
}

interface IndexSums {
  readonly listed: IndexSum;
  readonly expected: IndexSum;
}

/**
 * Checks every entry of the databases; the pages show only that entries are in order. Each record's checksum covers its
 * key, and the entries of each index must be those that the records make. Otherwise records behind a damaged key would
 * be missing without a fault, because "not found" is an answer too.
 */
class ContentCheck {
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #indexes = new Map<string, IndexSums>();

  constructor() {
    this.#kinds = new Map(recordKinds.map((kind) => [kind.codec.database, kind]));
    for (const { database } of recordKinds.flatMap(({ indexes }) => indexes)) {
      this.#indexes.set(database, { listed: new IndexSum(), expected: new IndexSum() });
    }
  }

  /** An unknown database is skipped. */
  begin(name: string): LookAt {
    const index = this.#indexes.get(name);
    if (index !== undefined) return ({ key, value }) => index.listed.add(key, value);
    const kind = this.#kinds.get(name);
    if (kind === undefined) return () => undefined;
    return ({ key, value }) => this.#examine(kind, key, value);
  }

  /** A record with index entries is decoded; for another one its checksum is enough. @throws DamagedRecordError */
  #examine({ codec, indexes }: RecordKind, key: Buffer, value: Buffer): void {
    if (indexes.length === 0) codec.verify(key, value);
    else {
      const record = codec.decode(key, value);
      for (const index of indexes) {
        const expected = this.#indexes.get(index.database)?.expected;
        for (const key of index.keysOf(record)) expected?.add(key, index.valueOf(record));
      }
    }
  }

  /** For a store whose every entry was checked. @throws DamagedPagesError */
  requireIndexes(): void {
    for (const [name, { listed, expected }] of this.#indexes) {
      if (!listed.equals(expected)) {
        throw new DamagedPagesError(`${name} does not list the records that are there`);
      }
    }
  }

  /**
   * Checks that a store with a marker has all databases. A file with none of them is another program's, which its
   * identity shows.
   * @throws DamagedPagesError
   */
  requireDatabases(names: readonly string[]): void {
    const missing = databaseNames.find((name) => !names.includes(name));
    const isOurs = databaseNames.some((name) => names.includes(name));
    if (missing !== undefined && isOurs) throw new DamagedPagesError(`the table of tables lacks ${missing}`);
  }
}
