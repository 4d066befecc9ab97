import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { useProject } from './project-context.ts';

const pages = [
  { title: 'Flags', to: '/projects/$projectId/flags' },
  { title: 'Audiences', to: '/projects/$projectId/audiences' },
  { title: 'Tokens', to: '/projects/$projectId/tokens' },
  { title: 'Clients', to: '/projects/$projectId/clients' },
  { title: 'Environments', to: '/projects/$projectId/environments' },
  { title: 'Audit log', to: '/projects/$projectId/audit' },
  { title: 'Project settings', to: '/projects/$projectId/settings' },
] as const;

/** A project's pages. A personal project has no tokens, and a single-environment project no page of environments. */
export function pagesOf(project: ProjectView) {
  return pages.filter(
    ({ title }) =>
      !(title === 'Tokens' && project.isPersonal) &&
      !(title === 'Environments' && !project.isMultiEnvironment),
  );
}

interface ProjectLinkProps {
  readonly to: (typeof pages)[number]['to'];
  readonly children: ReactNode;
}

/** A link to another page of the same project. */
export function ProjectLink({ to, children }: ProjectLinkProps) {
  return (
    <Link to={to} params={{ projectId: useProject().id }}>
      {children}
    </Link>
  );
}
