/**
 * The store cannot be opened, claimed or created. The message is for the operator: what is wrong, and what to do. It is
 * shown as it is, without a stack.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** The data file is not where it was opened. Nothing was written, and no other one opened; it may be put back. */
export class DataFileMovedError extends StoreError {
  constructor(path: string, reason: string) {
    super(
      `${path} was moved, removed or replaced while it was in use, so changes are refused (${reason}). Put it back, or ` +
        'stop this process and start it again on what is there now.',
    );
  }
}

/** @returns the message about something else that stands where a directory is expected. */
export function noDirectory(path: string): string {
  return `${path} is no directory. Name another one with --data-dir.`;
}

/** @returns what is wrong with a symbolic link whose disk is not mounted, or whose directory a restore was exchanging. */
export function leadsNowhere(path: string): string {
  return (
    `${path} is a symbolic link to a directory that is not there. Mount or create what it leads to; if a restore was ` +
    'interrupted, run it again.'
  );
}
