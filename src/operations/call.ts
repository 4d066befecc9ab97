import type { Denial } from '../domain/token/denial.ts';
import type { Steps } from '../support/steps.ts';
import type { TextPieces } from '../support/text-pieces.ts';

/** The two APIs whose requests are answered by operations. */
export type ApiName = 'management' | 'console';

/** What an operation's guard looks at of a request, before its body has come. */
export interface ApiCallHead {
  readonly api: ApiName;
  /** Of an operation, or of a step of a conversation. Null: there is none of this method and path. */
  readonly operation: string | null;
  /** Decoded, by the names in the operation's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Raw, as received, without the question mark. */
  readonly query: string;
  /** Who asks: the Authorization header, or the secret of the session's cookie; null when there is none. Never logged. */
  readonly credential: string | null;
  readonly address: string;
}

/** A request of either API, whole: a worker answers a read by itself, and sends a change to the writer. */
export interface ApiCall extends ApiCallHead {
  readonly requestId: string;
  readonly userAgent: string;
  /** The header that the operation knows, as received, joined by a comma when sent several times; null when absent. */
  readonly header: string | null;
  /** As received. Null when the operation takes none, and when `isBodyTooLarge`. */
  readonly body: Uint8Array | null;
  readonly isBodyTooLarge: boolean;
}

/** An answer of either API, as worker and writer make it. */
export interface ApiAnswer {
  readonly status: number;
  /** Whole, or in pieces that are joined as they are. */
  readonly body: string | TextPieces;
  /** The answer proper, where a long record is read for it first: of this one only who asked counts. */
  readonly later?: Steps<ApiAnswer>;
  /** Of the body; null when there is none. */
  readonly contentType: string | null;
  /** The body is a file to be kept, by this name. */
  readonly fileName?: string;
  /** Of the one flag in the body as it is stored; null when the body has none. */
  readonly entityTag: string | null;
  /** Seconds; absent where `Retry-After` follows from the status. */
  readonly retryAfter?: number;
  /** The token or member that asked, when there is one, for the log. Its share of the service is what the answer takes. */
  readonly askerId: string | null;
  /** Whose share it takes beside; null for what is nobody's, or not known yet. */
  readonly projectId: string | null;
  readonly organisationId: string | null;
  /** Counts toward the address's failed-authentication limit: a missing, malformed or unknown token. */
  readonly isFailedAuthentication: boolean;
  /** A refusal that must be recorded (a write's is already recorded when it is answered). */
  readonly denial: Denial | null;
  /** The session that asked is to be marked as seen. */
  readonly touchedSessionId: string | null;
}

/** What answers have that say nothing else. */
export const plainAnswer = {
  contentType: 'application/json',
  entityTag: null,
  askerId: null,
  projectId: null,
  organisationId: null,
  isFailedAuthentication: false,
  denial: null,
  touchedSessionId: null,
} as const satisfies Omit<ApiAnswer, 'status' | 'body'>;

/** An answer whose body may come in pieces: those are read from a snapshot, until `release`. */
export interface Read {
  readonly answer: ApiAnswer;
  /** What is kept in memory of records for the pieces that are still to come. */
  readonly held: { readonly bytes: number };
  /** Called once, when the body is whole or not wanted any more. */
  release(): void;
}

/** Answers the reads of both APIs, each from one snapshot of the store: the newest that was acknowledged. */
export interface ApiReads {
  /** @throws what the read throws; then nothing is to be released */
  read(call: ApiCall): Read;
  /** @returns the refusal of a request whose body has not come yet; null: let it come */
  refuse(call: ApiCallHead): ApiAnswer | null;
}
