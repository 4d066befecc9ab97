import type { Member, Role } from '../member/member.ts';
import type { Project } from '../project/project.ts';

/**
 * What a member is in a project: its role in the organisation, or Owner of a personal project of its own. Null: the
 * project is not to be seen, not even that it exists.
 */
export function roleIn(project: Project, member: Member): Role | null {
  if (project.organisationId === null) return project.ownerMemberId === member.id ? 'owner' : null;
  return project.organisationId === member.organisationId ? member.role : null;
}
