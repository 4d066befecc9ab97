import type { Denial } from '../domain/token/denial.ts';
import type { TextPieces } from '../support/text-pieces.ts';

/** The two APIs whose requests are answered by operations, and sync, which makes the same checks. */
export type ApiName = 'management' | 'console' | 'sync';

/** The parts of a request that an operation's guard reads, before the body has come. */
export interface ApiCallHead {
  readonly api: ApiName;
  /** Id of the operation, or of a step of a conversation. Null: no operation has this method and path. */
  readonly operation: string | null;
  /** Decoded, by their names in the operation's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Raw, as received, without the question mark. */
  readonly query: string;
  /** The credential: the Authorization header, or the secret of the session's cookie; null for none. Never logged. */
  readonly credential: string | null;
  readonly address: string;
}

/** A whole request of either API: a worker answers a read, and sends a change to the writer. */
export interface ApiCall extends ApiCallHead {
  readonly requestId: string;
  readonly userAgent: string;
  /** The header that the operation reads, as received, joined by a comma when sent several times; null when absent. */
  readonly header: string | null;
  /** The body as received. Null when the operation takes none, and with `isBodyTooLarge`. */
  readonly body: Uint8Array | null;
  readonly isBodyTooLarge: boolean;
  /** When the request was here whole, by `monotonicMs`: a change is due a deadline later. By default when it is sent. */
  readonly askedAt?: number;
}

/** An answer of either API, as worker and writer make it. */
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
  /** Seconds; undefined when `Retry-After` follows from the status. */
  readonly retryAfter?: number | undefined;
  /** The token or member that asked, if there is one, for the log. The answer counts for its share. */
  readonly askerId: string | null;
  /** The other shares that the answer counts for; null when there is none, or it is not known yet. */
  readonly projectId: string | null;
  readonly organisationId: string | null;
  /** Counts for the address' limit of failed authentications: a missing, malformed or unknown token. */
  readonly isFailedAuthentication: boolean;
  /** A refusal that must be recorded. (A write's is recorded already when it is answered.) */
  readonly denial: Denial | null;
  /** The session that asked: to be marked as seen. */
  readonly touchedSessionId: string | null;
}

/**
 * Field by field, so that all answers have one shape: an object that is made by spreading another and then gets further
 * fields takes V8 more than a microsecond.
 * @param said what the answer has beside status and body, where it is not the usual: JSON, and nothing else
 */
export function apiAnswer(
  status: number,
  body: ApiAnswer['body'],
  said: Partial<Omit<ApiAnswer, 'status' | 'body'>>,
): ApiAnswer {
  return {
    status,
    body,
    contentType: said.contentType === undefined ? 'application/json' : said.contentType,
    fileName: said.fileName,
    entityTag: said.entityTag ?? null,
    retryAfter: said.retryAfter,
    askerId: said.askerId ?? null,
    projectId: said.projectId ?? null,
    organisationId: said.organisationId ?? null,
    isFailedAuthentication: said.isFailedAuthentication ?? false,
    denial: said.denial ?? null,
    touchedSessionId: said.touchedSessionId ?? null,
  };
}

/** An answer whose body may come in pieces, which are read from a snapshot until `release`. */
export interface Read {
  readonly answer: ApiAnswer;
  /** Called once, when the body is complete or not wanted any more. */
  release(): void;
}

/** Answers the reads of both APIs, each from one snapshot of the store: the newest acknowledged state. */
export interface ApiReads {
  /** @throws what the read throws; then there is nothing to release */
  read(call: ApiCall): Read;
  /** Checks a request whose body has not come yet. Who passes has to be checked again with the answer. */
  checkHead(call: ApiCallHead): HeadCheck;
}

/** For whose shares a body counts. */
export interface KnownAsker {
  /** The token or the member. */
  readonly asker: string;
  readonly project: string | null;
  /** Null also for a member without one. */
  readonly organisation: string | null;
}

/** The refusal of a request by its head; or who asks, and the body may come. Null: nobody that is known. */
export type HeadCheck = { readonly refusal: ApiAnswer } | { readonly asker: KnownAsker | null };
