import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { projectsQuery } from '../client/queries.ts';

const storageKey = 'burgee.project';

/** Where to begin next time. Without storage that is the first project. */
export function rememberProject(projectId: string): void {
  try {
    window.localStorage.setItem(storageKey, projectId);
  } catch {
    // A browser may refuse to store anything.
  }
}

function rememberedProject(): string | null {
  try {
    return window.localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** The project of the address; on pages without one, the one that was open last. Null while there is none. */
export function useCurrentProject(): ProjectView | null {
  const { projectId } = useParams({ strict: false });
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const wanted = projectId ?? rememberedProject();
  const found = projects.find(({ id }) => id === wanted);
  return found ?? (projectId === undefined ? (projects[0] ?? null) : null);
}
