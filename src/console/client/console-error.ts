/** A refusal of the console's API, or none at all: `status` 0 means that no answer came. */
export class ConsoleError extends Error {
  readonly status: number;
  readonly title: string;
  /** To be told to whoever runs the service; null when no answer came. */
  readonly requestId: string | null;
  /** What stands beside the envelope's members: `current` of a conflict, `uses` of what is in use. */
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

/** The title of the refusal that tells that the session has ended. */
export const notSignedIn = 'Not signed in';

/** Whatever was thrown, as an error that a page can show. */
export function toConsoleError(thrown: unknown): ConsoleError {
  if (thrown instanceof ConsoleError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new ConsoleError(0, 'This page failed', text, null);
}

/** What a page showed is not there any more, or not for this member. Whatever else fails leaves it as it was read. */
export function isGone(thrown: unknown): boolean {
  return thrown instanceof ConsoleError && (thrown.status === 403 || thrown.status === 404);
}

/** Nothing of it can be shown. What was read once stays where reading it again fails, unless it is gone. */
export function isUnreadable<Read extends { readonly isLoadingError: boolean; readonly error: unknown }>(
  read: Read,
): read is Extract<Read, { readonly isLoadingError: true }> {
  return read.isLoadingError || isGone(read.error);
}

/** What is stored now, when somebody else was quicker. */
export function conflictOf<View>(thrown: unknown): View | null {
  if (!(thrown instanceof ConsoleError) || thrown.status !== 409) return null;
  return (thrown.extra['current'] as View | undefined) ?? null;
}
