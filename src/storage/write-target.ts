import type { Tables } from './environment.ts';
import type { KeyRange } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import { KnownRecords } from './known-records.ts';
import { writeTransactionView } from './read-view.ts';
import { RecordSource } from './record-source.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { WrittenSpace } from './written-space.ts';

/** The open write transaction: its writes, and reads that see them. */
export class WriteTarget {
  readonly source: RecordSource;
  readonly space = new WrittenSpace();
  readonly #tables: Tables;
  readonly #known = new KnownRecords();

  constructor(tables: Tables) {
    this.#tables = tables;
    this.source = new RecordSource(tables, writeTransactionView, this.#known);
  }

  /** What a failed transaction had read and written is not what the store holds. */
  forgetKnown(): void {
    this.#known.forgetAll();
  }

  put<T>(codec: RecordCodec<T>, key: Buffer, record: T): void {
    const bytes = codec.encode(key, record);
    this.#known.replace(codec.database, key, record, bytes.length);
    this.#put(codec.database, key, bytes);
  }

  putBytes(table: DatabaseName, key: Buffer, bytes: Buffer): void {
    this.#known.forget(table, key);
    this.#put(table, key, bytes);
  }

  #put(table: DatabaseName, key: Buffer, bytes: Buffer): void {
    this.space.count(key.length + bytes.length);
    this.#tables[table].putSync(key, bytes);
  }

  remove(table: DatabaseName, key: Buffer): void {
    this.#known.forget(table, key);
    this.space.count(0);
    this.#tables[table].removeSync(key);
  }

  removeRange(table: DatabaseName, range: KeyRange): void {
    for (const key of Array.from(this.source.keys(table, range))) this.remove(table, key);
  }
}
