import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { listProjects } from './list-projects.ts';
import { previewEnvironment } from './preview-environment.ts';
import { readProject } from './read-project.ts';

/** Reads of projects and environments. */
export const projectReads = {
  'list-projects': { scope: 'member', run: listProjects },
  'read-project': { scope: 'project', run: readProject },
  'preview-environment': { scope: 'project', run: previewEnvironment },
} as const satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
