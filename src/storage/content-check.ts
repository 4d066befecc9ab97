import { crc32 } from 'node:zlib';
import { type DatabaseName, databaseNames, laterDatabases } from './keys.ts';
import { laterIndexes } from './later-indexes.ts';
import type { TreeEntry } from './pages/check-tree.ts';
import { DamagedPagesError } from './pages/damaged-pages-error.ts';
import { type RecordKind, recordKinds } from './record-kinds.ts';

type LookAt = (entry: TreeEntry) => void;

/** By any name that a file may hold. */
const mayBeEmpty: ReadonlySet<string> = laterIndexes;

/** Of an index, whatever the order of its entries. */
class IndexSum {
  #entries = 0;
  #sum = 0;

  get isEmpty(): boolean {
    return this.#entries === 0;
  }

  add(key: Buffer, value: Buffer): void {
    this.#entries += 1;
    const keySum = crc32(key);
    // Of an empty buffer that has no memory, crc32 is 0, whatever it was told to go on from.
    this.#sum = (this.#sum + (value.length === 0 ? keySum : crc32(value, keySum))) >>> 0;
  }

  equals(other: IndexSum): boolean {
    return this.#entries === other.#entries && this.#sum === other.#sum;
  }
}

/**
 * Looks at every entry of the databases, of which pages show only that they are in order. Each record has its checksum,
 * its key included, and the entries of each index are those that the records make. What lies under a damaged key would
 * otherwise be missed without a word: «not found» is an answer, too.
 */
export class ContentCheck {
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #listed = new Map<string, IndexSum>();
  readonly #expected = new Map<string, IndexSum>();

  constructor(kinds: readonly RecordKind[] = recordKinds) {
    this.#kinds = new Map(kinds.map((kind) => [kind.database, kind]));
    for (const name of kinds.flatMap(({ indexes }) => indexes)) {
      this.#listed.set(name, new IndexSum());
      this.#expected.set(name, new IndexSum());
    }
  }

  /** A database that is not known here is let be. */
  begin(name: string): LookAt {
    const listed = this.#listed.get(name);
    if (listed !== undefined) return ({ key, value }) => listed.add(key, value);
    const kind = this.#kinds.get(name);
    if (kind === undefined) return () => undefined;
    return ({ key, value }) => {
      for (const entry of kind.examine(key, value))
        this.#expected.get(entry.database)?.add(entry.key, entry.value);
    };
  }

  /** Of a store whose every entry was looked at. @throws DamagedPagesError */
  requireIndexes(): void {
    for (const [name, listed] of this.#listed) {
      if (listed.isEmpty && mayBeEmpty.has(name)) continue;
      const expected = this.#expected.get(name);
      if (expected !== undefined && !listed.equals(expected)) {
        throw new DamagedPagesError(`${name} does not list the records that are there`);
      }
    }
  }

  /**
   * Of a store that a marker calls complete. A later version may have made databases that are unknown here, and then it
   * has made every one that is known. A file with none of them is another program's, which its identity tells.
   * @throws DamagedPagesError
   */
  requireDatabases(names: readonly string[]): void {
    const known: ReadonlySet<string> = new Set(databaseNames);
    const hasUnknown = names.some((name) => !known.has(name));
    const isNeeded = (name: DatabaseName): boolean => hasUnknown || !laterDatabases.has(name);
    const missing = databaseNames.find((name) => !names.includes(name) && isNeeded(name));
    const isOurs = names.some((name) => known.has(name));
    if (missing !== undefined && isOurs) throw new DamagedPagesError(`the table of tables lacks ${missing}`);
  }
}
