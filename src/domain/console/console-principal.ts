import { type Member, type Role, roles } from '../member/member.ts';
import type { Organisation } from '../organisation/organisation.ts';
import type { Project } from '../project/project.ts';
import type { Session } from '../session/session.ts';

/** The caller, found by the guard before any rule runs. */
export interface ConsolePrincipal {
  readonly session: Session;
  readonly member: Member;
  /** The member's organisation; null for a person who only owns personal projects. */
  readonly organisation: Organisation | null;
}

/** A request about a project that the member may see. The owner of a personal project acts as its Owner. */
export interface ProjectPrincipal extends ConsolePrincipal {
  readonly project: Project;
  readonly role: Role;
}

/** Roles in order: each may do what the previous one may (decisions, organisations). */
export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** @returns the member's organisation: the guard admits no member without one to the organisation's operations. */
export function ownOrganisation({ organisation }: Pick<ConsolePrincipal, 'organisation'>): Organisation {
  if (organisation === null) throw new Error('a member without an organisation has passed the guard');
  return organisation;
}

/**
 * A member's role in a project: its role in the organisation, or Owner of its own personal project. Null: the member
 * must not even learn that the project exists.
 */
export function roleIn(project: Project, member: Member): Role | null {
  if (project.organisationId === null) return project.ownerMemberId === member.id ? 'owner' : null;
  return project.organisationId === member.organisationId ? member.role : null;
}
