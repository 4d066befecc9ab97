import { closeSync, openSync } from 'node:fs';
import { dataFileOf } from '../environment.ts';
import { checkHeads } from '../pages/check-heads.ts';
import { checkPages } from '../pages/check-pages.ts';
import { DamagedPagesError } from '../pages/damaged-pages-error.ts';
import { type FileHead, readHead } from '../pages/file-head.ts';
import type { Snapshots } from '../snapshots.ts';
import type { Finding } from './finding.ts';

/** Beside a server that commits without a pause, the last look counts. */
const looksMax = 100;
/** A head that is read while it is written may be half of each; not so often. */
const tornLooksMax = 5;

/**
 * Follows every page in use, those of entries too; what the entries say is for the other checks. Pages that the snapshot
 * or anything newer needs are not written again while it is held.
 */
export function* checkPagesInUse(directory: string, snapshots: Snapshots): Generator<Finding> {
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
      choose: (tables) => new Set(tables.map(({ name }) => name)),
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
