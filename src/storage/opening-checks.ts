import { readManifest } from './backup/backup-manifest.ts';
import { isHalfRestored } from './backup/restored-directory.ts';
import { checkDataFile } from './check/check-data-file.ts';
import { type DataFileState, inspectDataFile } from './lmdb/data-file.ts';
import { dataFileOf } from './lmdb/environment.ts';
import { DamagedStoreError, StoreError } from './store-error.ts';

/* Checks before a data file is opened. Each function throws a StoreError that says what to do. */

const defaultStartCheckBytes = 2 ** 25;

interface Checked {
  readonly directory: string;
  readonly startCheckBytes?: number;
}

/** A backup is never changed, and no empty store is created where a restore was interrupted. */
export function requireServable(directory: string, state: DataFileState): void {
  if (readManifest(directory) !== null) {
    throw new StoreError(
      `${directory} is a backup, which must not change. Make a data directory from it with \`burgee restore ${directory} ` +
        '--data-dir DIR`.',
    );
  }
  if (state === 'usable' || !isHalfRestored(directory)) return;
  throw new StoreError(
    `A restore into ${directory} was interrupted. Run the same \`burgee restore\` again. To begin with an empty store ` +
      `instead, remove ${directory}.restoring.`,
  );
}

/** @param isExpected whether there is a marker, so that a store was completed here. */
export function requireUsable(directory: string, state: DataFileState, isExpected: boolean): void {
  if (state === 'usable' || (!isExpected && (state === 'missing' || state === 'blank'))) return;
  const path = dataFileOf(directory);
  if (state === 'foreign' && !isExpected) {
    throw new StoreError(
      `${path} is not a data file of Burgee, and nothing was changed in it. Move it away, or choose another directory.`,
    );
  }
  const wrong = { missing: 'missing', blank: 'empty', foreign: 'not an LMDB file', truncated: 'truncated' }[
    state
  ];
  throw new DamagedStoreError(
    `${path} is ${wrong}, though a store was created here. Restore the directory from a backup. To begin with an ` +
      'empty store instead, choose another directory.',
  );
}

/** @param isComplete whether there is a marker, so that the store has every database of this version. */
export function requireWhole(
  { directory, startCheckBytes: bytesMax = defaultStartCheckBytes }: Checked,
  isComplete: boolean,
): void {
  const path = dataFileOf(directory);
  const damage = checkDataFile(path, { bytesMax, isComplete });
  if (damage === null) return;
  throw new DamagedStoreError(
    `${path} is damaged: ${damage}. Restore the directory from a backup with \`burgee restore\`. If there is none, ` +
      '`burgee check` shows what else is damaged.',
  );
}

export function dataFileState(directory: string): DataFileState {
  try {
    return inspectDataFile(dataFileOf(directory));
  } catch (error) {
    throw unreadable(directory, error);
  }
}

export function unreadable(directory: string, error: unknown): StoreError {
  return new StoreError(
    `${dataFileOf(directory)} cannot be opened: ${(error as Error).message}. Check its owner and permissions; if it is ` +
      'damaged, restore the directory from a backup.',
    { cause: error },
  );
}
