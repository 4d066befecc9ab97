import { describeKey } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';

/**
 * The store cannot be opened, claimed or created. The message is for the operator: what is wrong, and what to do. It is
 * shown as it is, without a stack.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** A file of the store, or of a backup, is damaged. */
export class DamagedStoreError extends StoreError {}

/** The data file cannot be written now, and nothing was written: the next change tries again. */
export abstract class DataFileUnavailableError extends StoreError {
  abstract readonly kind: 'storage-moved' | 'storage-held';
}

/** The data file is not at the path where it was opened. No other file was opened, and it may be put back. */
export class DataFileMovedError extends DataFileUnavailableError {
  readonly kind = 'storage-moved';

  constructor(path: string, reason: string) {
    super(
      `${path} was moved, removed or replaced while it was in use, so changes are refused (${reason}). Put it back; or ` +
        'stop this process, and start it again on the file that is there now.',
    );
  }
}

/** Another process has been opening the data file for too long: it may be suspended. */
export class DataFileHeldError extends DataFileUnavailableError {
  readonly kind = 'storage-held';

  constructor(path: string) {
    super(
      `Another process is opening ${path} and does not finish, so nothing can be written: it is suspended, or ` +
        'gets no processor time. Let it finish, or end it.',
    );
  }
}

/** @returns the message for a path that is not a directory. */
export function noDirectory(path: string): string {
  return `${path} is not a directory. Choose another one with --data-dir.`;
}

/** @returns the message for a symbolic link whose disk is not mounted, or whose directory a restore was exchanging. */
export function leadsNowhere(path: string): string {
  return (
    `${path} is a symbolic link to a directory that is not there. Mount or create its target; if a restore was ` +
    'interrupted, run it again.'
  );
}

/** The data on the disk is not what was written: a wrong checksum, or a missing record. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
  readonly database: DatabaseName;
  readonly key: string;
  /** The fault, without the place. */
  readonly what: string;

  constructor(database: DatabaseName, key: Uint8Array, what: string, options?: ErrorOptions) {
    super(`Damaged record ${database}/${describeKey(key)}: ${what}`, options);
    this.database = database;
    this.key = describeKey(key);
    this.what = what;
  }
}
