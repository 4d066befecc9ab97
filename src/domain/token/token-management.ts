import { hasRole, type ProjectPrincipal } from '../console/console-principal.ts';
import type { ConsoleProblem } from '../console/console-problem.ts';
import { isEligible } from '../organisation/organisation.ts';
import { type Outcome, refuse, succeed } from '../outcome.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Token } from './token.ts';

const personal =
  'A personal project cannot have tokens. Use a project of an organisation for access through the Management API.';
const planRequired =
  'Tokens can be created, rotated and revoked on the Teams or Enterprise plan, or on a running Teams trial, while the subscription has not lapsed. Until then they are read-only.';
const unknownToken = 'This project has no token with this id.';
const notManageable =
  'A token can be revoked and rotated by the member who created it, and by Admins and Owners.';

/** Whether tokens of the project may be changed now (specification: organisations below Teams see them read-only). */
export function allowTokenChanges(
  { project, organisation }: ProjectPrincipal,
  now: number,
): Outcome<null, ConsoleProblem> {
  if (project.organisationId === null) return refuse('not-permitted', personal);
  const isAvailable = organisation?.id === project.organisationId && isEligible(organisation, now);
  return isAvailable ? succeed(null) : refuse('plan-required', planRequired);
}

/** The creator and any Admin may revoke and rotate a token. A token of the operator has no creator. */
export function mayManage(token: Token, { member, role }: ProjectPrincipal): boolean {
  return token.createdBy === member.id || hasRole(role, 'admin');
}

/** @returns the project's token with this id; another project's token is unknown, like none at all. */
export function findToken(
  queries: RecordQueries,
  { project }: ProjectPrincipal,
  tokenId: string,
): Outcome<Token, ConsoleProblem> {
  const token = queries.token(tokenId);
  return token?.projectId === project.id ? succeed(token) : refuse('not-found', unknownToken);
}

/** @returns the token, when the asking member may revoke or rotate it and the plan lets tokens be changed. */
export function findManageableToken(
  queries: RecordQueries,
  principal: ProjectPrincipal,
  tokenId: string,
  now: number,
): Outcome<Token, ConsoleProblem> {
  const found = findToken(queries, principal, tokenId);
  if (!found.ok) return found;
  const allowed = allowTokenChanges(principal, now);
  if (!allowed.ok) return allowed;
  return mayManage(found.value, principal) ? found : refuse('not-permitted', notManageable);
}
