import { closeSync, existsSync, openSync } from 'node:fs';
import { checksumOf, readManifest } from './backup/backup-manifest.ts';
import { type Finding, StoreWalk } from './check/store-walk.ts';
import type { DatabaseName } from './keys.ts';
import { checkHeads, checkPages, DamagedPagesError, everyEntry } from './lmdb/check-pages.ts';
import { dataFileOf, readingMapBytesOf } from './lmdb/environment.ts';
import { type FileHead, readHead } from './lmdb/page-format.ts';
import { RecordSource } from './record-source.ts';
import { Snapshots } from './snapshots.ts';
import { StoreError } from './store-error.ts';
import { type OpenedStore, openForReading } from './store-opening.ts';
import { tables } from './tables/tables.ts';

/** How many entries of each database were read. */
export type CheckCounts = ReadonlyMap<DatabaseName, number>;

/**
 * Reads every page in use, every record and every index entry of a store, offline or while a server runs. It yields
 * each finding at once, and returns the counts.
 *
 * Run it in a process of its own: a damaged page can end the process that reads it. Consume it without awaiting in
 * between.
 * @throws StoreError when there is no store or it cannot be opened, with the first step unless it is a damaged backup.
 */
export function* checkStore(directory: string): Generator<Finding, CheckCounts> {
  yield* checkBackup(directory);
  const opened = openForReading({ directory, mapBytes: readingMapBytesOf(directory) });
  const snapshots = new Snapshots(opened.root);
  try {
    yield* checkPagesInUse(directory, snapshots);
    return yield* checkSnapshot(opened, snapshots);
  } finally {
    snapshots.close();
    // No transaction is open, so this closes before it returns.
    void opened.close();
  }
}

function* checkSnapshot(opened: OpenedStore, snapshots: Snapshots): Generator<Finding, CheckCounts> {
  const walk = new StoreWalk(new RecordSource(opened.databases, snapshots));
  for (const { check } of tables) yield* check(walk);
  return walk.counts;
}

/**
 * A backup's data file must be byte for byte the one in its manifest, because a restore accepts no other. Checked
 * before the file is opened, because a damaged page may end the process.
 */
function* checkBackup(directory: string): Generator<Finding> {
  try {
    const manifest = readManifest(directory);
    // Without a data file there is nothing to open either, which is then reported.
    if (manifest === null || !existsSync(dataFileOf(directory))) return;
    const { bytes, sha256 } = checksumOf(dataFileOf(directory));
    if (bytes === manifest.bytes && sha256 === manifest.sha256) return;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    yield { where: 'backup.json', what: error.message };
    return;
  }
  yield { where: 'backup.json', what: 'the data file is not the one that was backed up' };
}

/** While a server commits without a pause, the last try counts. */
const looksMax = 100;
/** A head that is read while it is written may be half old and half new; an unchanged one is not. */
const tornLooksMax = 5;

/**
 * Follows every page in use, including those of entries; the other checks read the entries. While the snapshot is held,
 * pages that it or anything newer needs are not written again.
 */
function* checkPagesInUse(directory: string, snapshots: Snapshots): Generator<Finding> {
  const descriptor = openSync(dataFileOf(directory), 'r');
  try {
    checkHeld(descriptor, snapshots);
  } catch (error) {
    if (!(error instanceof DamagedPagesError)) throw error;
    yield { where: 'burgee.mdb', what: error.message };
  } finally {
    closeSync(descriptor);
  }
}

/** @throws DamagedPagesError */
function checkHeld(descriptor: number, snapshots: Snapshots): void {
  const { head, release } = holdHead(descriptor, snapshots);
  try {
    checkPages(descriptor, head, everyEntry);
  } finally {
    release();
  }
}

/** The snapshot is of that head, or of the one before it when the commit was just being published. */
function holdHead(descriptor: number, snapshots: Snapshots): { readonly head: FileHead; release(): void } {
  let tornLooks = 0;
  for (let look = 1; ; look += 1) {
    const before = readHead(descriptor);
    snapshots.renew();
    const { release } = snapshots.hold();
    try {
      const head = checkHeads(descriptor);
      if (before?.commit === head.commit || look >= looksMax) return { head, release };
    } catch (error) {
      release();
      tornLooks += 1;
      if (tornLooks >= tornLooksMax) throw error;
      continue;
    }
    release();
  }
}
