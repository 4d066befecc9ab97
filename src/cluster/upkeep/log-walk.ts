import { hash } from 'node:crypto';
import { chainChecksum, decodeContent, NewerRowError } from '../../storage/replica/log-row.ts';
import { isOfState } from '../../storage/replica/state.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { rowsAfter } from '../sql/log-statements.ts';
import type { Head, LogRow } from '../sql/rows.ts';

/** The last write of a record in the log. */
export interface LastWrite {
  readonly position: number;
  /** Digest of its value; null if it was removed. */
  readonly digest: string | null;
}

/** @returns a digest to compare a value without keeping it */
export function digestOf(value: Uint8Array): string {
  return hash('sha256', value, 'base64');
}

/** @returns a unique name of a record */
export function recordName(database: string, key: Buffer): string {
  return `${database}\0${key.toString('latin1')}`;
}

/**
 * Reads the log from its oldest row to its head, verifies its checksums, and records the last write of each record.
 */
export class LogWalk {
  /** Last writes by record. */
  readonly writes = new Map<string, LastWrite>();
  /** Positions whose rows are missing or changed, so that their writes are unknown. */
  readonly damaged = new Set<number>();
  rows = 0;
  readonly #head: Head;
  readonly #find: (finding: string) => void;
  #position: number;
  #checksum: Uint8Array;
  readonly #checksums = new Map<number, Uint8Array>();

  /**
   * @param before the checksum at `keptFrom` - 1
   */
  constructor(head: Head, before: Uint8Array, find: (finding: string) => void) {
    this.#head = head;
    this.#find = find;
    this.#position = head.keptFrom - 1;
    this.#checksum = before;
    this.#checksums.set(this.#position, before);
  }

  /** @param connection in the transaction in which the head was read */
  async walk(connection: SqlConnection): Promise<void> {
    for (;;) {
      const { rows } = await rowsAfter(connection, this.#position);
      if (rows.length === 0) break;
      for (const row of rows) this.#read(row);
    }
    const { position, checksum } = this.#head;
    if (this.#position < position) this.#lack(this.#position + 1, position);
    else if (this.#position > position) this.#find(`log: it goes on beyond the head, to ${this.#position}`);
    else if (!checksum.equals(this.#checksum))
      this.#find(`head: its checksum is not that of position ${position}`);
  }

  /** @returns the checksum at a position; null if it is not kept */
  checksumAt(position: number): Uint8Array | null {
    return this.#checksums.get(position) ?? null;
  }

  #read(row: LogRow): void {
    this.rows += 1;
    const isNext = row.position === this.#position + 1;
    if (!isNext) this.#lack(this.#position + 1, row.position - 1);
    else if (!chainChecksum(this.#checksum, row).equals(row.checksum)) {
      this.damaged.add(row.position);
      this.#find(`log/${row.position}: the row is not what was committed: its checksum is another`);
    }
    this.#position = row.position;
    this.#checksum = row.checksum;
    this.#checksums.set(row.position, row.checksum);
    this.#note(row);
  }

  #lack(from: number, to: number): void {
    this.#find(`log/${from}: ${from === to ? 'the row is' : `all rows to ${to} are`} missing, or incomplete`);
    for (let position = from; position <= to; position += 1) this.damaged.add(position);
  }

  #note({ position, changes }: LogRow): void {
    if (this.damaged.has(position)) return;
    try {
      for (const write of decodeContent(changes).writes) {
        if (!isOfState(write)) continue;
        const digest = write.value === null ? null : digestOf(write.value);
        this.writes.set(recordName(write.database, write.key), { position, digest });
      }
    } catch (fault) {
      if (!(fault instanceof NewerRowError || fault instanceof RangeError)) throw fault;
      this.damaged.add(position);
      this.#find(`log/${position}: the row cannot be read: ${fault.message}`);
    }
  }
}
