import { closeSync, existsSync, openSync } from 'node:fs';
import { checksumOf, readManifest } from './backup/backup-manifest.ts';
import { type Finding, StoreWalk } from './check/store-walk.ts';
import type { DatabaseName } from './keys.ts';
import { dataFileOf, readingMapBytesOf } from './lmdb/environment.ts';
import { checkHeads, checkPages } from './lmdb/pages/check-pages.ts';
import { DamagedPagesError } from './lmdb/pages/page-file.ts';
import { type FileHead, readHead } from './lmdb/pages/page-format.ts';
import { RecordSource } from './record-source.ts';
import { Snapshots } from './snapshots.ts';
import { StoreError } from './store-error.ts';
import { type OpenedStore, openForReading } from './store-opening.ts';
import { tables } from './tables/tables.ts';

/** How many entries of each database were walked. */
export type CheckCounts = ReadonlyMap<DatabaseName, number>;

/**
 * Walks every page in use, every record and every index entry of a store, offline or beside a running server; yields what
 * does not hold as it is found, and returns what was walked.
 *
 * Run it in a process of its own: a damaged page can end the process that reads it. Consume it before awaiting anything.
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
    // Nothing is under way in it, so this closes before it returns.
    void opened.close();
  }
}

function* checkSnapshot(opened: OpenedStore, snapshots: Snapshots): Generator<Finding, CheckCounts> {
  const walk = new StoreWalk(new RecordSource(opened.databases, snapshots));
  for (const { check } of tables) yield* check(walk);
  return walk.counts;
}

/**
 * The data file of a backup is byte for byte the one that its manifest was written for: a restore takes no other. Looked
 * at before it is opened, which a damaged page may end.
 */
function* checkBackup(directory: string): Generator<Finding> {
  try {
    const manifest = readManifest(directory);
    // Without a data file there is nothing to open either, which says so.
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

/** Beside a server that commits without a pause, the last look counts. */
const looksMax = 100;
/** A head that is read while it is written may be half of each; not so often. */
const tornLooksMax = 5;

/**
 * Follows every page in use, those of entries too; what the entries say is for the other checks. Pages that the snapshot
 * or anything newer needs are not written again while it is held.
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
    checkPages(descriptor, head, {
      choose: (databases) => new Set(databases.map(({ name }) => name)),
      begin: () => () => undefined,
    });
  } finally {
    release();
  }
}

/** The snapshot is of that head, or of the one before it when the commit was just being made known. */
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
