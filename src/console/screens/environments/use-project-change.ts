import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { projectsQuery } from '../../client/queries.ts';

function replaceProject(client: QueryClient, project: ProjectView): void {
  client.setQueryData(projectsQuery.queryKey, (stored) => {
    if (stored === undefined) return undefined;
    return { projects: stored.projects.map((other) => (other.id === project.id ? project : other)) };
  });
}

/** Puts a project as it is stored now where every page reads it, and lets its pages read again. */
export function useProjectChange(): (project: ProjectView) => void {
  const client = useQueryClient();
  return (project) => {
    replaceProject(client, project);
    void client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    void client.invalidateQueries({ queryKey: [project.id] });
  };
}
