import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { createConsoleFlag } from './create-console-flag.ts';
import { deleteFlag } from './delete-flag.ts';
import { editFlag } from './edit-flag.ts';

/** Changes of flags. */
export const flagCommands = {
  'create-console-flag': { scope: 'project', run: createConsoleFlag },
  'edit-flag': { scope: 'project', run: editFlag },
  'delete-flag': { scope: 'project', run: deleteFlag },
} as const satisfies Partial<Record<ConsoleOperationId, ConsoleCommandEntry>>;
