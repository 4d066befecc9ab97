import { shownList } from '../problem-list.ts';
import type { Project } from './project.ts';

/** The valid environments of a multi-environment project, as a message lists them. */
export function describeEnvironments(project: Project): string {
  const names = project.environments.map(({ name }) => name);
  return names.length === 0 ? 'it has no environments yet' : `valid ones: ${shownList(names)}`;
}
