import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { createAudience } from './create-audience.ts';
import { deleteAudience } from './delete-audience.ts';
import { editAudience } from './edit-audience.ts';

/** Changes of audiences. */
export const audienceCommands = {
  'create-audience': { scope: 'project', run: createAudience },
  'edit-audience': { scope: 'project', run: editAudience },
  'delete-audience': { scope: 'project', run: deleteAudience },
} as const satisfies Partial<Record<ConsoleOperationId, ConsoleCommandEntry>>;
