import { namedEnvironments } from '../flag/flag-creation.ts';
import { stateKeys } from '../flag/state-fields.ts';
import { succeed } from '../outcome.ts';
import { shown, shownList } from '../problem-list.ts';
import { permitsEnvironment, type Token } from '../token/token.ts';
import type { Principal } from './guard.ts';
import { type ManagementQuery, requestedEnvironments } from './management-query.ts';
import { denyToken, type Step } from './refusal.ts';
import type { RequestBody } from './request-body.ts';

/**
 * Step 10 of the order of checks. An environment outside the token's list is refused whether or not it exists, and
 * before any other problem of the request (decisions).
 */
export function limitRead({ token }: Principal, query: ManagementQuery): Step<null> {
  const refused = findRefused(token, requestedEnvironments(query));
  if (refused === undefined) return succeed(null);
  return denyToken(token, 'environment-not-permitted', describeRefusal(token, refused), shown(refused));
}

/** The same as for a read. In addition, a limited token can change nothing in a project without environments. */
export function limitPatch(principal: Principal, query: ManagementQuery): Step<null> {
  const limited = limitRead(principal, query);
  if (!limited.ok || !isShutOut(principal)) return limited;
  return denyToken(principal.token, 'environment-not-permitted', describeShutOut(principal.token));
}

/** A create must not set state that a patch could not: 403 `Forbidden`. */
export function limitCreation(principal: Principal, body: RequestBody): Step<null> {
  const { token } = principal;
  if (token.environments === null || body.kind !== 'object') return succeed(null);
  const refused = findRefused(token, namedEnvironments(body));
  if (refused !== undefined) {
    return denyToken(token, 'create-forbidden', describeRefusal(token, refused), shown(refused));
  }
  const setsState = stateKeys.some((key) => body.members.listed.has(key));
  if (!setsState || !isShutOut(principal)) return succeed(null);
  return denyToken(token, 'create-forbidden', describeShutOut(token));
}

function findRefused(token: Token, names: Iterable<string>): string | undefined {
  for (const name of names) if (!permitsEnvironment(token, name)) return name;
  return undefined;
}

/** A list none of whose names exists permits nothing (decisions), and in such a project none can exist. */
function isShutOut({ token, project }: Principal): boolean {
  return token.environments !== null && !project.isMultiEnvironment;
}

function describeRefusal(token: Token, environment: string): string {
  return `This token may not use the environment "${shown(environment)}". ${describeLimit(token)}`;
}

function describeShutOut(token: Token): string {
  return `This token may not change flags of a project without environments. ${describeLimit(token)}`;
}

export function describeLimit({ environments }: Token): string {
  return `It is limited to: ${shownList(environments ?? [])}.`;
}
