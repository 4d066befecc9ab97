import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { listAudiences } from './list-audiences.ts';
import { readAudience } from './read-audience.ts';

/** Reads of audiences. */
export const audienceReads = {
  'list-audiences': { scope: 'project', run: listAudiences },
  'read-audience': { scope: 'project', run: readAudience },
} as const satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
