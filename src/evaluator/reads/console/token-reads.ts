import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { listTokens } from './list-tokens.ts';
import { readTokenActivity } from './read-token-activity.ts';

/** What members see of tokens. */
export const tokenReads = {
  'list-tokens': { scope: 'project', run: listTokens },
  'read-token-activity': { scope: 'project', run: readTokenActivity },
} satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
