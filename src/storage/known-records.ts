import type { DatabaseName } from './keys.ts';

/** Entries in all, and bytes of each as stored: together some tens of megabytes at most. */
const recordsMax = 8192;
const recordBytesMax = 4096;

/**
 * Decoded records, and entries of indexes as they are, that the writer has read: it alone changes them, and says so.
 * Reading a token, its project and its organisation again for each change is a third of what a change costs to decide.
 */
export class KnownRecords {
  readonly #records = new Map<DatabaseName, Map<string, unknown>>();
  readonly #empty = new Set<DatabaseName>();
  #count = 0;

  /** @returns the record, or undefined when it is not known, which does not say that there is none. */
  find(database: DatabaseName, key: Buffer): unknown {
    return this.#records.get(database)?.get(key.toString('latin1'));
  }

  add(database: DatabaseName, key: Buffer, record: unknown, bytes: number): void {
    if (bytes > recordBytesMax) return;
    if (this.#count >= recordsMax) this.forgetAll();
    const table = this.#records.get(database) ?? new Map<string, unknown>();
    this.#records.set(database, table);
    const text = key.toString('latin1');
    if (!table.has(text)) this.#count += 1;
    table.set(text, record);
  }

  /** Notes what is stored from now on. Only what was read before is known further: appended rows are never read. */
  replace(database: DatabaseName, key: Buffer, record: unknown, bytes: number): void {
    const table = this.#records.get(database);
    const text = key.toString('latin1');
    this.#empty.delete(database);
    if (!table?.has(text)) return;
    if (bytes <= recordBytesMax) table.set(text, record);
    else this.forget(database, key);
  }

  /** Whether the table was found empty, and nothing was stored in it since. */
  isEmpty(database: DatabaseName): boolean {
    return this.#empty.has(database);
  }

  noteEmpty(database: DatabaseName): void {
    this.#empty.add(database);
  }

  /** Something was stored or removed there, and it is not told what. */
  forget(database: DatabaseName, key: Buffer): void {
    this.#empty.delete(database);
    if (this.#records.get(database)?.delete(key.toString('latin1'))) this.#count -= 1;
  }

  forgetAll(): void {
    this.#records.clear();
    this.#empty.clear();
    this.#count = 0;
  }
}
