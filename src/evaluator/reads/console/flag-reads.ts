import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { listConsoleFlags } from './list-console-flags.ts';
import { readConsoleFlag } from './read-console-flag.ts';
import { tryFlag } from './try-flag.ts';

/** Reads of flags. */
export const flagReads = {
  'list-console-flags': { scope: 'project', run: listConsoleFlags },
  'read-console-flag': { scope: 'project', run: readConsoleFlag },
  'try-flag': { scope: 'project', run: tryFlag },
} as const satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
