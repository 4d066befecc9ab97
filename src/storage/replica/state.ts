import { createHash } from 'node:crypto';
import { assert } from '../../support/assert.ts';
import type { DatabaseName } from '../keys.ts';
import type { Database, Databases } from '../lmdb/environment.ts';
import type { RecordSource } from '../record-source.ts';
import { recordKinds } from '../tables/tables.ts';
import type { EntryWrite } from '../write-target.ts';
import { isReplicated, replicatedDatabases } from './replicated.ts';

/** An entry of the state that all nodes share at a position. */
export interface StateEntry {
  readonly database: DatabaseName;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Indexes are derived from records, so they are made again instead of being sent. */
const indexes: ReadonlySet<DatabaseName> = new Set(
  recordKinds.flatMap((kind) => kind.indexes.map(({ database }) => database)),
);

/** The databases of a state, in the order in which their entries come. */
export const stateDatabases: readonly DatabaseName[] = replicatedDatabases
  .filter((name) => !indexes.has(name))
  .sort();

/** Whether a write of a row changes the state, or only an index. */
export function isOfState({ database }: EntryWrite): boolean {
  return !indexes.has(database);
}

/** The state of a view, in the order of databases and keys. */
export function* stateOf(source: RecordSource): Generator<StateEntry> {
  for (const database of stateDatabases) {
    for (const { key, bytes } of source.entries(database)) {
      if (isReplicated(database, key)) yield { database, key, value: bytes };
    }
  }
}

/** @returns hex of a SHA-256 over all shared entries, including indexes: two replicas at one position have the same */
export function hashState(source: RecordSource): { readonly entries: number; readonly sha256: string } {
  const hash = createHash('sha256');
  let entries = 0;
  for (const database of [...replicatedDatabases].sort()) {
    for (const { key, bytes } of source.entries(database)) {
      if (!isReplicated(database, key)) continue;
      hash.update(`${database} ${key.length} ${bytes.length} `).update(key).update(bytes);
      entries += 1;
    }
  }
  return { entries, sha256: hash.digest('hex') };
}

/**
 * Within the open write transaction, makes databases equal to a state: equal entries stay, so that a node that was away
 * for a while writes little. Indexes are made again.
 * @param batches the state, in the order of databases and keys
 * @param onWrite is called before each write, and ends the transaction if it throws
 * @returns how many entries of it were written or removed
 */
export async function becomeState(
  databases: Databases,
  batches: AsyncIterable<readonly StateEntry[]>,
  onWrite: OnWrite,
): Promise<number> {
  let walk: DatabaseWalk | null = null;
  const seen = new Set<DatabaseName>();
  let count = 0;
  for await (const batch of batches) {
    for (const { database, key, value } of batch) {
      if (walk === null || walk.name !== database) {
        count += walk?.finish() ?? 0;
        assert(!seen.has(database), 'the entries of a state come database by database');
        assert(!indexes.has(database), 'a state has no indexes');
        seen.add(database);
        walk = new DatabaseWalk(database, databases[database], onWrite);
      }
      walk.put(key, value);
    }
  }
  count += walk?.finish() ?? 0;
  for (const name of stateDatabases) {
    if (!seen.has(name)) count += new DatabaseWalk(name, databases[name], onWrite).finish();
  }
  if (count > 0) rebuildIndexes(databases, onWrite);
  return count;
}

/** @param bytes of key and value; 0 for a removal */
type OnWrite = (bytes: number) => void;

const lmdbRange = { start: Buffer.of(0), end: Buffer.alloc(64, 0xff) };

/** Read before anything is written: writes move lmdb's cursors. */
function keysOf(database: Database): readonly Buffer[] {
  return Array.from(database.getKeys(lmdbRange), (key) => Buffer.from(key));
}

/** Walks a database in step with the entries that it must have. */
class DatabaseWalk {
  readonly name: DatabaseName;
  readonly #database: Database;
  readonly #keys: readonly Buffer[];
  readonly #onWrite: OnWrite;
  #next = 0;
  #count = 0;

  constructor(name: DatabaseName, database: Database, onWrite: OnWrite) {
    this.name = name;
    this.#onWrite = onWrite;
    this.#database = database;
    this.#keys = keysOf(database).filter((key) => isReplicated(name, key));
  }

  put(key: Buffer, value: Buffer): void {
    this.#removeBefore(key);
    const isThere = this.#keys[this.#next]?.equals(key) === true;
    if (isThere) this.#next += 1;
    if (isThere && this.#database.get(key)?.equals(value) === true) return;
    this.#onWrite(key.length + value.length);
    this.#database.putSync(key, value);
    this.#count += 1;
  }

  #removeBefore(key: Buffer | null): void {
    for (; this.#next < this.#keys.length; this.#next += 1) {
      const present = this.#keys[this.#next] as Buffer;
      if (key !== null && Buffer.compare(present, key) >= 0) return;
      this.#onWrite(0);
      this.#database.removeSync(present);
      this.#count += 1;
    }
  }

  /** Removes the rest. @returns how many entries were written or removed */
  finish(): number {
    this.#removeBefore(null);
    return this.#count;
  }
}

function rebuildIndexes(databases: Databases, onWrite: OnWrite): void {
  for (const name of indexes) databases[name].clearSync();
  for (const { codec, indexes: own } of recordKinds) {
    if (own.length === 0) continue;
    const records = databases[codec.database];
    for (const key of keysOf(records)) {
      const value = records.get(key);
      assert(value !== undefined, 'a key that was read in this transaction has a value');
      const record = codec.decode(key, value);
      for (const index of own) {
        const indexValue = index.valueOf(record);
        for (const indexKey of index.keysOf(record)) {
          onWrite(indexKey.length + indexValue.length);
          databases[index.database].putSync(indexKey, indexValue);
        }
      }
    }
  }
}
