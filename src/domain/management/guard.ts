import { isEligible, type Organisation } from '../organisation/organisation.ts';
import { succeed } from '../outcome.ts';
import { shown } from '../problem-list.ts';
import type { Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { DenialReason } from '../token/denial.ts';
import { type Permission, type Token, tokenStatus } from '../token/token.ts';
import { readTokenSecret } from '../token/token-secret.ts';
import { denyToken, refuseRequest, refuseStranger, type Step } from './refusal.ts';

/** The caller of a request that the guard has admitted. */
export interface Principal {
  readonly token: Token;
  readonly project: Project;
  readonly organisation: Organisation;
}

interface GuardedRequest {
  /** The Authorization header as received; null for none. */
  readonly authorization: string | null;
  /** The permission that the route needs; null when there is no such route. */
  readonly permission: Permission | null;
}

export interface GuardContext {
  /** Unix milliseconds. */
  readonly now: number;
  /** The present token prefix, and former ones whose tokens still work. */
  readonly acceptedPrefixes: readonly string[];
  /** SHA-256, 32 bytes. */
  hashSecret(secret: string): Uint8Array;
}

/** Steps 4 to 7 of the order of checks: authentication, eligibility, route, permission (decisions). */
export function guardRequest(
  queries: RecordQueries,
  request: GuardedRequest,
  context: GuardContext,
): Step<Principal> {
  const authenticated = authenticate(queries, request.authorization, context);
  if (!authenticated.ok) return authenticated;
  const token = authenticated.value;
  const owner = findOwner(queries, token, context.now);
  if (!owner.ok) return owner;
  if (request.permission === null) return refuseRequest(token, 'not-found', noSuchEndpoint);
  if (request.permission === 'write' && token.permission !== 'write') {
    return denyToken(token, 'insufficient-permission', readOnly);
  }
  return owner;
}

const missing = 'Send a token in the header: Authorization: Bearer <API_TOKEN>.';
const malformed =
  'The Authorization header must be "Bearer <API_TOKEN>" with a whole token. The token in it is malformed: it may have been cut off or mistyped.';
const unknown =
  'No token has this secret. Check that it is the whole secret of a token of this service, or use another token.';
const planRequired =
  'The Management API needs an organisation on the Teams or Enterprise plan, or on a running Teams trial, whose subscription has not lapsed. Existing tokens work again once it has that.';
const noSuchEndpoint =
  'The Management API has no endpoint of this method and path. The documentation lists its endpoints.';
const readOnly =
  'This token has read permission, and this endpoint needs write permission. Use a token with write permission.';

/** Step 4 of the order of checks: a token that exists and is active. */
export function authenticate(
  queries: RecordQueries,
  authorization: string | null,
  context: GuardContext,
): Step<Token> {
  if (authorization === null || authorization === '') return refuseStranger('missing-bearer-token', missing);
  const text = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1];
  const secret = text === undefined ? undefined : readTokenSecret(text, context.acceptedPrefixes);
  if (secret === undefined) return refuseStranger('malformed-bearer-token', malformed);
  const token = queries.tokenBySecretHash(context.hashSecret(secret));
  return token === undefined ? refuseStranger('unknown-token', unknown) : checkStatus(token, context.now);
}

function checkStatus(token: Token, now: number): Step<Token> {
  const status = tokenStatus(token, now);
  if (status === 'active') return succeed(token);
  const reason: DenialReason = status === 'revoked' ? 'token-revoked' : 'token-expired';
  const what = status === 'revoked' ? 'has been revoked' : 'has expired';
  return denyToken(token, reason, `The token "${shown(token.name)}" ${what}. Use another one.`);
}

/** A project without an organisation cannot have tokens; a token of such a project is refused as not eligible. */
function findOwner(queries: RecordQueries, token: Token, now: number): Step<Principal> {
  const project = queries.project(token.projectId);
  if (project === undefined) throw new Error(`token ${token.id} belongs to no project`);
  const organisation =
    project.organisationId === null ? undefined : queries.organisation(project.organisationId);
  if (organisation === undefined || !isEligible(organisation, now)) {
    return refuseRequest(token, 'plan-required', planRequired);
  }
  return succeed({ token, project, organisation });
}
