import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { projectsQuery } from '../client/queries.ts';
import { useSession } from './use-session.ts';

export const ProjectContext = createContext<ProjectView | null>(null);

/** The project whose page this is. */
export function useProject(): ProjectView {
  const project = useContext(ProjectContext);
  if (project === null) throw new Error('This page belongs to a project, and has none.');
  return project;
}

/** Flags, audiences and new tokens are an Editor's. */
export function useCanEdit(): boolean {
  return hasRole(useProject().role, 'editor');
}

/** Environments and the project's settings are an Admin's. */
export function useCanAdminister(): boolean {
  return hasRole(useProject().role, 'admin');
}

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

/** Audiences can be created and attached on Teams and Enterprise, and on a running trial (decisions, plans). */
export function useAudiencesAvailable(): boolean {
  const { isPersonal } = useProject();
  const { organisation } = useSession();
  return !isPersonal && organisation?.isEligible === true;
}
