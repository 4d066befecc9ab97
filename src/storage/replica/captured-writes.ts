import type { DatabaseName } from '../keys.ts';
import type { EntryWrite } from '../write-target.ts';
import { isReplicated } from './replicated.ts';

/** What a write transaction has put and removed, of what all nodes share: the last of each key. */
export class CapturedWrites {
  readonly #writes = new Map<string, EntryWrite>();

  /** @param value stays as it is */
  note(database: DatabaseName, key: Buffer, value: Buffer | null): void {
    if (!isReplicated(database, key)) return;
    this.#writes.set(`${database}\0${key.toString('latin1')}`, { database, key: Buffer.from(key), value });
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0;
  }

  get all(): readonly EntryWrite[] {
    return [...this.#writes.values()];
  }
}
