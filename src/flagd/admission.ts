import type { Metadata } from '@grpc/grpc-js';
import type { Refusal } from '../domain/management/refusal.ts';
import type { ProblemCode } from '../domain/problem.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { guardSync, type SyncTarget } from '../domain/sync/sync-guard.ts';
import type { Denial } from '../domain/token/denial.ts';
import { hashSecret } from '../support/hash-secret.ts';
import type { RefusedStatus } from './flagd-protocol.ts';
import { readSelector } from './selector.ts';

/** Why a call is not served. */
export interface Refused {
  readonly status: RefusedStatus;
  readonly detail: string;
}

export type CallAdmission =
  | { readonly ok: true; readonly target: SyncTarget }
  | { readonly ok: false; readonly refused: Refused; readonly refusal: Refusal | null };

const badSelector =
  'The selector must be "{project id}/{environment}", or "{project id}" of a project without environments. Where a provider cannot send a token as metadata, ",token={secret}" may follow.';
const noToken =
  'Send a token as metadata: "authorization: Bearer <API_TOKEN>". A provider that sends no metadata of its own has it in its selector: "{project id}/{environment},token=<API_TOKEN>".';

/**
 * Authenticates a call, and finds its environment. The selector comes in the metadata `flagd-selector`. Older providers
 * send it in the request only.
 * @param selector of the request; null: the request was malformed
 */
export function admitCall(
  queries: RecordQueries,
  metadata: Metadata,
  selector: string | null,
  acceptedPrefixes: readonly string[],
): CallAdmission {
  const named = selector === null ? null : readSelector(textOf(metadata, 'flagd-selector') ?? selector);
  if (named === null) return refuse('invalid-argument', badSelector);
  const { projectId, environment, token } = named;
  const authorization = textOf(metadata, 'authorization') ?? (token === null ? null : `Bearer ${token}`);
  const context = { now: Date.now(), acceptedPrefixes, hashSecret };
  const step = guardSync(queries, { authorization, place: { projectId, environment } }, context);
  if (step.ok) return { ok: true, target: step.value };
  const { problem: refusal } = step;
  const { code, detail } = refusal;
  const shown = code === 'missing-bearer-token' ? noToken : detail;
  return { ok: false, refused: { status: statusOf(code), detail: shown }, refusal };
}

function refuse(status: RefusedStatus, detail: string): CallAdmission {
  return { ok: false, refused: { status, detail }, refusal: null };
}

function textOf(metadata: Metadata, name: string): string | null {
  const [first] = metadata.get(name);
  return typeof first === 'string' ? first : null;
}

function statusOf(code: ProblemCode): RefusedStatus {
  if (code === 'environment-not-permitted') return 'permission-denied';
  return code === 'not-found' ? 'not-found' : 'unauthenticated';
}

/** @returns the record of a refused token; null if the refusal was not about a known token */
export function denialOf(refusal: Refusal, route: string, address: string): Denial | null {
  const { denialReason: reason, tokenId, environment } = refusal;
  if (reason === null || tokenId === null) return null;
  return { tokenId, at: Date.now(), reason, route, environment, address };
}
