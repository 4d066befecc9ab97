import type { Role } from '../../domain/member/member.ts';
import type { Project } from '../../domain/project/project.ts';
import type { ProjectView } from './views/project-views.ts';

/** @param role what the asking member is in the project. */
export function projectView(project: Project, role: Role): ProjectView {
  const { id, name, organisationId, isMultiEnvironment, environments } = project;
  const { environmentsRevision, evaluationAccess, revision } = project;
  return {
    ...{ id, name, isPersonal: organisationId === null, isMultiEnvironment, environments: [...environments] },
    ...{ environmentsRevision, evaluationAccess, revision, role },
  };
}
