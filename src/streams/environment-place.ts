import { findEnvironment, type Project } from '../domain/project/project.ts';
import type { SyncedEnvironment } from './configuration.ts';

/** Whether the environment is still there under its name: otherwise its address leads nowhere any more. */
export function existsIn(
  project: Project | undefined,
  { name, environmentNumber }: SyncedEnvironment,
): boolean {
  if (project === undefined) return false;
  if (name === null) return !project.isMultiEnvironment;
  return findEnvironment(project, name)?.number === environmentNumber;
}
