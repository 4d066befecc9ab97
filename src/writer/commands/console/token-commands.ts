import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { createToken } from './create-token.ts';
import { revokeConsoleToken } from './revoke-console-token.ts';
import { rotateToken } from './rotate-token.ts';

/** What members change about tokens. */
export const tokenCommands = {
  'create-token': { scope: 'project', run: createToken },
  'revoke-console-token': { scope: 'project', run: revokeConsoleToken },
  'rotate-token': { scope: 'project', run: rotateToken },
} satisfies Partial<Record<ConsoleOperationId, ConsoleCommandEntry>>;
