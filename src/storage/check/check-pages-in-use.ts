import { closeSync, openSync } from 'node:fs';
import { dataFileOf } from '../environment.ts';
import { checkPages } from '../pages/check-pages.ts';
import { DamagedPagesError } from '../pages/damaged-pages-error.ts';
import { type FileHead, readHead } from '../pages/file-head.ts';
import type { Snapshots } from '../snapshots.ts';
import type { Finding } from './finding.ts';

/** Beside a server that commits without a pause, the last look counts. */
const looksMax = 100;

/**
 * Follows every page in use, those of entries too; what the entries say is for the other checks. Pages that the snapshot
 * or anything newer needs are not written again while it is held.
 */
export function* checkPagesInUse(directory: string, snapshots: Snapshots): Generator<Finding> {
  const descriptor = openSync(dataFileOf(directory), 'r');
  const held = holdHead(descriptor, snapshots);
  try {
    checkPages(descriptor, held.head, {
      choose: (tables) => new Set(tables.map(({ name }) => name)),
      begin: () => () => undefined,
    });
  } catch (error) {
    if (!(error instanceof DamagedPagesError)) throw error;
    yield { where: 'burgee.mdb', what: error.message };
  } finally {
    held.release();
    closeSync(descriptor);
  }
}

/** The snapshot is of that head, or of the one before it when the commit was just being made known. */
function holdHead(descriptor: number, snapshots: Snapshots): { readonly head: FileHead; release(): void } {
  for (let look = 1; ; look += 1) {
    const before = readHead(descriptor);
    snapshots.renew();
    const { release } = snapshots.hold();
    const head = readHead(descriptor);
    if (before === null || head === null) throw new Error('The data file lost its head');
    if (before.commit === head.commit || look >= looksMax) return { head, release };
    release();
  }
}
