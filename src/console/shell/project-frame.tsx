import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ConsoleError, isUnreadable } from '../client/console-error.ts';
import { projectsQuery } from '../client/queries.ts';
import { TitledProject } from '../parts/page-head.tsx';
import { PageError, PageUnread } from '../parts/page-states.tsx';
import { visibleName } from '../parts/visible-name.ts';
import { ProjectContext, rememberProject } from './project-context.ts';

const route = getRouteApi('/shell/projects/$projectId');
const unknownProject = new ConsoleError(
  404,
  'Not found',
  'There is no such project, or it is not yours.',
  null,
);

/** Gives every page below it the project in the address. */
export function ProjectFrame() {
  const { projectId } = route.useParams();
  const projects = useQuery(projectsQuery);
  const project = projects.data?.projects.find(({ id }) => id === projectId);
  const isKnown = project !== undefined;
  useEffect(() => {
    if (isKnown) rememberProject(projectId);
  }, [projectId, isKnown]);
  if (projects.isPending || isUnreadable(projects)) {
    return <PageUnread isPage of={projects} what="the project" />;
  }
  if (project === undefined) {
    return <PageError isPage error={unknownProject} action={<Link to="/projects">All projects</Link>} />;
  }
  return (
    <ProjectContext value={project}>
      <TitledProject value={visibleName(project.name)}>
        <Outlet key={projectId} />
      </TitledProject>
    </ProjectContext>
  );
}
