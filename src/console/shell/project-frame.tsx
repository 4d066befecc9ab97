import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ConsoleError, isUnreadable } from '../client/console-error.ts';
import { projectsQuery } from '../client/queries.ts';
import { PageError, PageLoading } from '../parts/page-states.tsx';
import { rememberProject } from './current-project.ts';
import { ProjectContext } from './project-context.ts';

const route = getRouteApi('/shell/projects/$projectId');
const unknownProject = new ConsoleError(
  404,
  'Not found',
  'There is no such project, or it is not yours.',
  null,
);

/** Around every page of a project: who it is. */
export function ProjectFrame() {
  const { projectId } = route.useParams();
  const projects = useQuery(projectsQuery);
  const project = projects.data?.projects.find(({ id }) => id === projectId);
  const isKnown = project !== undefined;
  useEffect(() => {
    if (isKnown) rememberProject(projectId);
  }, [projectId, isKnown]);
  if (projects.isPending) return <PageLoading what="the project" />;
  if (isUnreadable(projects))
    return <PageError isPage error={projects.error} onRetry={() => void projects.refetch()} />;
  if (project === undefined) {
    return <PageError isPage error={unknownProject} action={<Link to="/projects">All projects</Link>} />;
  }
  return (
    <ProjectContext value={project}>
      <Outlet key={projectId} />
    </ProjectContext>
  );
}
