/**
 * The store cannot be opened, claimed or created. The message is for the operator: what is wrong, and what to do. It is
 * shown as it is, without a stack.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** @returns the message about something else that stands where a directory is expected. */
export function noDirectory(path: string): string {
  return `${path} is no directory. Name another one with --data-dir.`;
}
