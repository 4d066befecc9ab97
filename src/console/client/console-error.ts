/** A refusal of the console's API, or a missing answer: then `status` is 0. */
export class ConsoleError extends Error {
  readonly status: number;
  readonly title: string;
  /** The operator finds the request in the log by this id; null when no answer came. */
  readonly requestId: string | null;
  /** Members in addition to the envelope's own: `current` of a conflict, `uses` of a record that is in use. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    title: string,
    detail: string,
    requestId: string | null,
    extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.name = 'ConsoleError';
    this.status = status;
    this.title = title;
    this.requestId = requestId;
    this.extra = extra;
  }
}

/** The title of the refusal for a session that has ended. */
export const notSignedIn = 'Not signed in';
/** The title of the refusal for a session that has become another member's. */
export const otherMember = 'Signed in as someone else';

/**
 * Whether a change may have been saved although the service did not answer: the connection broke, or a proxy gave up. A
 * refusal by Burgee itself says what has happened.
 */
export function isUndecided(thrown: unknown): thrown is ConsoleError {
  if (!(thrown instanceof ConsoleError) || thrown.requestId !== null) return false;
  return thrown.status === 0 || thrown.status >= 500;
}

/** Turns a thrown value into an error that a page can show. */
export function toConsoleError(thrown: unknown): ConsoleError {
  if (thrown instanceof ConsoleError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new ConsoleError(0, 'This page failed', text, null);
}

/** Whether the record was deleted, or is hidden from this member. After any other failure the page keeps showing it. */
export function isGone(thrown: unknown): boolean {
  return thrown instanceof ConsoleError && (thrown.status === 403 || thrown.status === 404);
}

/** Whether a page that shows a record has learned that it was deleted: the page stays, with what was not saved. */
export function isDeletedMeanwhile({
  data,
  error,
}: {
  readonly data: unknown;
  readonly error: unknown;
}): boolean {
  return data !== undefined && error instanceof ConsoleError && error.status === 404;
}

/** Whether there is nothing to show: the first reading failed, or the record was deleted. */
export function isUnreadable<Read extends { readonly isLoadingError: boolean; readonly error: unknown }>(
  read: Read,
): read is Extract<Read, { readonly isLoadingError: true }> {
  return read.isLoadingError || isGone(read.error);
}

/** What is stored now, if the service refused the change because another one was saved first; otherwise null. */
export function conflictOf<View>(thrown: unknown): View | null {
  if (!(thrown instanceof ConsoleError) || thrown.status !== 409) return null;
  return (thrown.extra['current'] as View | undefined) ?? null;
}
