import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { projectsQuery } from '../client/queries.ts';
import { useSession } from './use-session.ts';

export const ProjectContext = createContext<ProjectView | null>(null);

/** The project of the page. */
export function useProject(): ProjectView {
  const project = useContext(ProjectContext);
  if (project === null) throw new Error('This page belongs to a project, and has none.');
  return project;
}

/** Flags, audiences and new tokens need an Editor. */
export function useCanEdit(): boolean {
  return hasRole(useProject().role, 'editor');
}

/** Environments and the project's settings need an Admin. */
export function useCanAdminister(): boolean {
  return hasRole(useProject().role, 'admin');
}

const storageKey = 'burgee.project';

/** The project to open next time. Without storage it is the first project. */
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

/** The project in the address; on pages without one, the project that was opened last. Null when there is none. */
export function useCurrentProject(): ProjectView | null {
  const { projectId } = useParams({ strict: false });
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const wanted = projectId ?? rememberedProject();
  const found = projects.find(({ id }) => id === wanted);
  return found ?? (projectId === undefined ? (projects[0] ?? null) : null);
}

function replaceProject(client: QueryClient, project: ProjectView): void {
  client.setQueryData(projectsQuery.queryKey, (stored) => {
    if (stored === undefined) return undefined;
    return { projects: stored.projects.map((other) => (other.id === project.id ? project : other)) };
  });
}

/** Puts a project's new stored state where every page reads it, and makes its pages read again. */
export function useProjectChange(): (project: ProjectView) => void {
  const client = useQueryClient();
  return (project) => {
    replaceProject(client, project);
    void client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    void client.invalidateQueries({ queryKey: [project.id] });
  };
}

/** Audiences can be created and attached on Teams and Enterprise, and on a running trial (decisions, plans). */
export function useAudiencesAvailable(): boolean {
  const { isPersonal } = useProject();
  const { organisation } = useSession();
  return !isPersonal && organisation?.isEligible === true;
}
