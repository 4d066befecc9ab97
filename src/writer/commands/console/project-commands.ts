import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { createEnvironment } from './create-environment.ts';
import { createProject } from './create-project.ts';
import { deleteEnvironment } from './delete-environment.ts';
import { editEnvironment } from './edit-environment.ts';
import { editProject } from './edit-project.ts';

/** Changes of projects and environments. */
export const projectCommands = {
  'create-project': { scope: 'member', run: createProject },
  'edit-project': { scope: 'project', run: editProject },
  'create-environment': { scope: 'project', run: createEnvironment },
  'edit-environment': { scope: 'project', run: editEnvironment },
  'delete-environment': { scope: 'project', run: deleteEnvironment },
} as const satisfies Partial<Record<ConsoleOperationId, ConsoleCommandEntry>>;
