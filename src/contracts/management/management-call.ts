import type { Denial } from '../../domain/token/denial.ts';
import type { Steps } from '../../support/steps.ts';
import type { TextPieces } from '../../support/text-pieces.ts';

/** The five routes, named as handlers, commands and tests name them. */
export const managementRoutes = [
  'read-token',
  'list-flags',
  'read-flag',
  'create-flag',
  'patch-flag',
] as const;
export type ManagementRoute = (typeof managementRoutes)[number];

/** A Management API request, whole: a worker answers a read by itself, and sends a change to the writer. */
export interface ManagementCall {
  readonly requestId: string;
  /** Null: no such path or method; answered 404 after authentication and eligibility. */
  readonly route: ManagementRoute | null;
  /** The decoded path segment of `/api/v1/flags/{id}`; null on other routes. */
  readonly flagId: string | null;
  /** Raw, as received, without the question mark. */
  readonly query: string;
  readonly authorization: string | null;
  readonly address: string;
  /** Null on reads, and when `isBodyTooLarge`. */
  readonly body: Uint8Array | null;
  readonly isBodyTooLarge: boolean;
  /** As received, joined by a comma when sent several times; null when absent, and on routes that do not know it. */
  readonly ifNoneMatch: string | null;
  readonly ifMatch: string | null;
  readonly idempotencyKey: string | null;
}

/** Whose share of the service an answer takes, beside its token's. */
export interface AnswerOwner {
  readonly projectId: string;
  readonly organisationId: string;
}

export interface ManagementAnswer {
  readonly status: number;
  /** JSON text, whole, or in pieces that are joined as they are (long lists). */
  readonly body: string | TextPieces;
  /** The answer proper, where a long record is read for it first: of this one only the token and the project count. */
  readonly later?: Steps<ManagementAnswer>;
  /** Counts toward the address's failed-authentication limit: a missing, malformed or unknown token. */
  readonly isFailedAuthentication: boolean;
  /** The token that asked, when there is one, for the log. */
  readonly tokenId: string | null;
  /** Whose the token is, once the guard has let the request through. */
  readonly owner?: AnswerOwner;
  /** A refusal that must be recorded (a write's is already recorded when it is answered). */
  readonly denial: Denial | null;
  /** Of the flag in the body as it is stored; null when the body has none. */
  readonly entityTag: string | null;
  /** Seconds; absent where `Retry-After` follows from the status. */
  readonly retryAfter?: number;
}
