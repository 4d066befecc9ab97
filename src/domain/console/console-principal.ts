import { type Member, type Role, roles } from '../member/member.ts';
import type { Organisation } from '../organisation/organisation.ts';
import type { Project } from '../project/project.ts';
import type { Session } from '../session/session.ts';

/** Who asks, and of what: found by the guard before any rule runs. */
export interface ConsolePrincipal {
  readonly session: Session;
  readonly member: Member;
  /** The member's; null for a person who only owns personal projects. */
  readonly organisation: Organisation | null;
}

/** A request about one project that the member may see. The owner of a personal project acts as its Owner. */
export interface ProjectPrincipal extends ConsolePrincipal {
  readonly project: Project;
  readonly role: Role;
}

/** Roles are ordered: each may do what the one before it may (decisions, organisations). */
export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** @returns the member's organisation: the guard lets nobody without one ask for what is an organisation's. */
export function ownOrganisation({ organisation }: ConsolePrincipal): Organisation {
  if (organisation === null) throw new Error('a member without an organisation has passed the guard');
  return organisation;
}

/**
 * What a member is in a project: its role in the organisation, or Owner of a personal project of its own. Null: the
 * project is not to be seen, not even that it exists.
 */
export function roleIn(project: Project, member: Member): Role | null {
  if (project.organisationId === null) return project.ownerMemberId === member.id ? 'owner' : null;
  return project.organisationId === member.organisationId ? member.role : null;
}
