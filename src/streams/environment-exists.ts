import { findEnvironment, type Project } from '../domain/project/project.ts';
import type { SyncedEnvironment } from './configuration.ts';

/** Whether the environment still exists under its name. */
export function existsIn(
  project: Project | undefined,
  { name, environmentNumber }: SyncedEnvironment,
): boolean {
  if (project === undefined) return false;
  if (name === null) return !project.isMultiEnvironment;
  return findEnvironment(project, name)?.number === environmentNumber;
}
