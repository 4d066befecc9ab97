import { createContext, useContext } from 'react';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';

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
