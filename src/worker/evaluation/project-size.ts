import type { Project } from '../../domain/project/project.ts';

/** A project without environments, with its place in a table. */
const projectBytes = 512;
/** An environment without its name. */
const environmentBytes = 128;

/** Estimate of the memory that a kept project takes. */
export function sizeOfProject({ name, environments }: Project): number {
  const ofEnvironments = environments.reduce((sum, one) => sum + environmentBytes + 2 * one.name.length, 0);
  return projectBytes + 2 * name.length + ofEnvironments;
}
