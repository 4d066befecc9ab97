import type { ConsolePrincipal } from '../domain/console/console-principal.ts';
import type { Principal } from '../domain/management/guard.ts';
import type { SyncTarget } from '../domain/sync/sync-guard.ts';
import type { Denial } from '../domain/token/denial.ts';
import type { TextPieces } from '../support/text-pieces.ts';

/** The APIs whose requests are operations. */
export type ApiName = 'management' | 'console' | 'sync';

/** A request as operations see it. A worker answers a read, and sends a change to the writer. */
export interface ApiCall {
  readonly api: ApiName;
  readonly requestId: string;
  /** Id of the operation, or of a step of a conversation. Null: no operation has this method and path. */
  readonly operation: string | null;
  /** Decoded, by their names in the operation's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Raw, as received, without the question mark. */
  readonly query: string;
  /** The credential: the Authorization header, or the secret of the session's cookie; null for none. Never logged. */
  readonly credential: string | null;
  /**
   * The header that the operation reads, as received, joined by a comma when sent several times; null when absent. In
   * the console's API it is `Burgee-Member`, which every operation reads.
   */
  readonly header: string | null;
  readonly address: string;
  readonly userAgent: string;
  /** The body as received. Null when the operation takes none. */
  body: Uint8Array | null;
  /** The value that a conversation passes to its step. */
  readonly input?: unknown;
  /** When the request was complete, by `monotonicMs`; by default when it is sent. A change is due a deadline later. */
  askedAt?: number;
}

/** An answer of an operation, as worker and writer make it. */
export interface ApiAnswer {
  readonly status: number;
  /** Whole, or in pieces to be joined. */
  readonly body: string | TextPieces;
  /** Content type of the body; null when there is none. */
  readonly contentType: string | null;
  /** The body is a file to be saved under this name. */
  readonly fileName?: string | undefined;
  /** The tag of the one flag in the body, as it is stored; null when the body has none. */
  readonly entityTag: string | null;
  /** The flag that has the new flag's name already; null: none has, or no flag was created. */
  readonly nameTakenBy: string | null;
  /** Seconds; undefined when `Retry-After` follows from the status. */
  readonly retryAfter?: number | undefined;
  /** The calling token or member, if there is one. */
  readonly callerId: string | null;
  /** Counts for the address' limit of failed authentications: a missing, malformed or unknown token. */
  readonly isFailedAuthentication: boolean;
  /** A refusal that must be recorded. (A write's is recorded already when it is answered.) */
  readonly denial: Denial | null;
  /** The session of the caller, to be marked as seen. */
  readonly touchedSessionId: string | null;
}

/**
 * Field by field, so that all answers have one shape: an object that is made by spreading another and then gets further
 * fields takes V8 more than a microsecond.
 * @param given fields in addition to status and body. By default the answer is JSON without other fields
 */
export function apiAnswer(
  status: number,
  body: ApiAnswer['body'],
  given: Partial<Omit<ApiAnswer, 'status' | 'body'>>,
): ApiAnswer {
  return {
    status,
    body,
    contentType: given.contentType === undefined ? 'application/json' : given.contentType,
    fileName: given.fileName,
    entityTag: given.entityTag ?? null,
    nameTakenBy: given.nameTakenBy ?? null,
    retryAfter: given.retryAfter,
    callerId: given.callerId ?? null,
    isFailedAuthentication: given.isFailedAuthentication ?? false,
    denial: given.denial ?? null,
    touchedSessionId: given.touchedSessionId ?? null,
  };
}

/** Who asks, and may. */
export interface Caller {
  /** Of the token or the member; null: the operation needs no session, and the request has none. */
  readonly id: string | null;
  /** The caller as the operation sees it, by API. */
  readonly principal: Principal | ConsolePrincipal | SyncTarget | null;
}

/** An answer whose body may come in pieces, which are read from a snapshot until `release`. */
export interface Read {
  readonly answer: ApiAnswer;
  /** Called once, when the body is complete or no longer needed. */
  release(): void;
}

/** Answers reads, each from one snapshot of the store: the newest acknowledged state. */
export interface ApiReads {
  /** @throws what the read throws; then there is nothing to release */
  read(call: ApiCall): Read;
}
