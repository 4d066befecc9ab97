import type { Role } from '../member/member.ts';
import { type Outcome, refuse, succeed } from '../outcome.ts';
import type { Project } from '../project/project.ts';
import { findProject } from '../project/project-slug.ts';
import type { RecordQueries } from '../record-queries.ts';
import { isSessionOver } from '../session/session.ts';
import { isSecretText } from '../token/token-secret.ts';
import { type ConsolePrincipal, hasRole, type ProjectPrincipal } from './console-principal.ts';
import type { ConsoleProblem } from './console-problem.ts';

/** The parts of a request that the guard reads. */
export interface GuardedCall {
  /** Secret of the session cookie; null for none. */
  readonly sessionSecret: string | null;
  /** The member whom the page shows that asks; null: it does not say. */
  readonly shownMemberId: string | null;
  /** An id or a slug; null in a path without a project. */
  readonly projectId: string | null;
}

export interface ConsoleGuardContext {
  /** Unix milliseconds. */
  readonly now: number;
  /** SHA-256, 32 bytes. */
  hashSecret(secret: string): Uint8Array;
}

/** The required access (`operations/operation.ts`), as far as the guard decides it. */
export type GuardedAccess =
  | { readonly scope: 'public' }
  | { readonly scope: 'member' }
  | { readonly scope: 'organisation'; readonly role: Role }
  | { readonly scope: 'project'; readonly role: Role };

/** The caller that the guard has admitted. */
export type ConsoleGuarded =
  | { readonly scope: 'public'; readonly principal: ConsolePrincipal | null }
  | { readonly scope: 'member'; readonly principal: ConsolePrincipal }
  | { readonly scope: 'project'; readonly principal: ProjectPrincipal };

const notSignedIn = 'Nobody is signed in here, or the session has ended. Sign in, then try again.';
const otherMember =
  'In this browser someone else has signed in since the page was opened, so nothing was done. Reload the page to go on as that member.';
const noOrganisation = 'You do not belong to an organisation, so there is nothing here.';
const noProject = 'None of your projects has this id. It may have been deleted.';

/**
 * Finds session, member, organisation and project, and compares the role with the one that the operation needs. All
 * reads are of the state on which the request is then answered or decided.
 */
export function guardConsole(
  queries: RecordQueries,
  access: GuardedAccess,
  call: GuardedCall,
  context: ConsoleGuardContext,
): Outcome<ConsoleGuarded, ConsoleProblem> {
  const principal = findPrincipal(queries, call.sessionSecret, context);
  const shown = call.shownMemberId;
  if (principal !== null && shown !== null && principal.member.id !== shown)
    return refuse('other-member', otherMember);
  if (access.scope === 'public') return succeed({ scope: 'public', principal });
  if (principal === null) return refuse('not-signed-in', notSignedIn);
  if (access.scope === 'member') return succeed({ scope: 'member', principal });
  if (access.scope === 'organisation') return guardOrganisation(principal, access.role);
  return guardProject(queries, principal, access.role, call.projectId ?? '');
}

/** @returns the session's person; null when the session is over or unknown, or its member is deleted. */
function findPrincipal(
  queries: RecordQueries,
  secret: string | null,
  context: ConsoleGuardContext,
): ConsolePrincipal | null {
  if (secret === null || !isSecretText(secret)) return null;
  const session = queries.sessionBySecretHash(context.hashSecret(secret));
  if (session === undefined || isSessionOver(session, context.now)) return null;
  const member = queries.member(session.memberId);
  if (member === undefined) return null;
  const organisation =
    member.organisationId === null ? null : (queries.organisation(member.organisationId) ?? null);
  return { session, member, organisation };
}

function guardOrganisation(
  principal: ConsolePrincipal,
  least: Role,
): Outcome<ConsoleGuarded, ConsoleProblem> {
  if (principal.organisation === null) return refuse('not-found', noOrganisation);
  if (!hasRole(principal.member.role, least)) return refuseRole(principal.member.role, least);
  return succeed({ scope: 'member', principal });
}

function guardProject(
  queries: RecordQueries,
  principal: ConsolePrincipal,
  least: Role,
  named: string,
): Outcome<ConsoleGuarded, ConsoleProblem> {
  const project = findProject(queries, named);
  const role = project === undefined ? null : roleIn(project, principal);
  if (project === undefined || role === null) return refuse('not-found', noProject);
  if (!hasRole(role, least)) return refuseRole(role, least);
  return succeed({ scope: 'project', principal: { ...principal, project, role } });
}

/** @returns null for a project that the member must not know of. */
function roleIn(project: Project, { member }: ConsolePrincipal): Role | null {
  if (project.organisationId === null) return project.ownerMemberId === member.id ? 'owner' : null;
  return project.organisationId === member.organisationId ? member.role : null;
}

const roleTitles: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  editor: 'Editor',
  admin: 'Admin',
  owner: 'Owner',
};

function refuseRole(role: Role, least: Role): Outcome<never, ConsoleProblem> {
  const needs = least === 'owner' ? 'an Owner' : `the role ${roleTitles[least]} or above`;
  const detail = `This needs ${needs}, and your role here is ${roleTitles[role]}. Ask an Admin or Owner for it.`;
  return refuse('not-permitted', detail);
}
