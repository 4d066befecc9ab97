import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idKey, sequenceKey, sequenceOf } from '../../src/storage/keys/key-parts.ts';
import {
  createDatabases,
  type Database,
  type Databases,
  openEnvironment,
  type Root,
} from '../../src/storage/lmdb/environment.ts';
import { metaKeys } from '../../src/storage/tables/meta.ts';
import { answerLoad } from '../load/load-program.ts';
import type { ChangeableFlag } from './changing-flag.ts';
import { PatchCounter, type PatchFigures } from './patch-figures.ts';
import type { StoreLoad } from './patch-loads.ts';
import { openBenchStore, storePatch } from './stored-patch.ts';

const mapBytes = 64 * 2 ** 30;

/** The newest row of a table whose keys end with a sequence. */
interface NewestRow {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly sequence: number;
}

/** What a patch writes to each table: the bytes of a real one, under the keys that the next one would use. */
interface PatchedRows {
  readonly flags: readonly { readonly key: Buffer; readonly value: Buffer }[];
  readonly audit: NewestRow;
  readonly change: NewestRow;
  readonly counter: Buffer;
}

function newestOf(table: Database): NewestRow {
  for (const { key, value } of table.getRange({ reverse: true, limit: 1 })) {
    const kept = Buffer.from(key);
    return { key: kept, value: Buffer.from(value), sequence: sequenceOf(kept) };
  }
  throw new Error('a patch has left no row');
}

function storedValue(table: Database, key: Buffer): Buffer {
  const value = table.get(key);
  if (value === undefined) throw new Error('a row is missing');
  return Buffer.from(value);
}

function readRows(tables: Databases, flags: readonly ChangeableFlag[]): PatchedRows {
  return {
    flags: flags.map(({ id }) => ({ key: idKey(id), value: storedValue(tables.flags, idKey(id)) })),
    audit: newestOf(tables.audit),
    change: newestOf(tables['change-log']),
    counter: storedValue(tables.meta, metaKeys.changeLog),
  };
}

/** Commit number `count`, from 1: writes a flag, appends its audit and change-log entries, and writes the counter. */
function commitLike(root: Root, tables: Databases, rows: PatchedRows, count: number): void {
  const flag = rows.flags[count % rows.flags.length] as PatchedRows['flags'][number];
  const auditKey = Buffer.concat([rows.audit.key.subarray(0, -8), sequenceKey(rows.audit.sequence + count)]);
  root.transactionSync(() => {
    tables.flags.putSync(flag.key, flag.value);
    tables.audit.putSync(auditKey, rows.audit.value);
    tables['change-log'].putSync(sequenceKey(rows.change.sequence + count), rows.change.value);
    tables.meta.putSync(metaKeys.changeLog, rows.counter);
  });
}

/**
 * Makes two real patches, whose rows are the pattern for the bare commits. After the first run the store holds copies
 * of those rows, which only this program accepts.
 */
async function leaveRows(dataDir: string, flag: ChangeableFlag): Promise<void> {
  const marker = join(dataDir, 'bare-commits');
  if (existsSync(marker)) return;
  const store = openBenchStore(dataDir);
  for (const percentage of [97, 98]) storePatch(store, flag, percentage);
  await store.close();
  writeFileSync(marker, '');
}

async function runBareCommits({ dataDir, flags, seconds }: StoreLoad): Promise<PatchFigures> {
  const [first] = flags;
  if (first === undefined) throw new Error('a patch needs a flag');
  await leaveRows(dataDir, first);
  const root = openEnvironment({ directory: dataDir, mapBytes, isReadOnly: false });
  const tables = createDatabases(root);
  const rows = readRows(tables, flags);
  root.resetReadTxn();
  const counter = new PatchCounter();
  const endAtMs = performance.now() + seconds * 1000;
  for (let count = 1; performance.now() < endAtMs; count += 1) {
    const beganAtMs = performance.now();
    commitLike(root, tables, rows, count);
    counter.countChange(beganAtMs);
  }
  const figures = counter.figures();
  await root.close();
  return figures;
}

await answerLoad(runBareCommits);
