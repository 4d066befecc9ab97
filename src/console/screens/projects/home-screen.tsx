import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { projectsQuery } from '../../client/queries.ts';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { useCurrentProject } from '../../shell/project-context.ts';

/** The flags of the project that was opened last; without projects, the page that creates one. */
export function HomeScreen() {
  const projects = useQuery(projectsQuery);
  const current = useCurrentProject();
  if (projects.isPending) return <PageLoading what="projects" />;
  if (projects.isLoadingError)
    return <PageError isPage error={projects.error} onRetry={() => void projects.refetch()} />;
  if (current === null) return <Navigate to="/projects" replace />;
  return <Navigate to="/projects/$projectId/flags" params={{ projectId: current.id }} replace />;
}
