import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type { PublicCommandEntry } from '../../../contracts/console/public-handler.ts';

/** Sessions, sign-in and one-time links. */
export const sessionCommands = {} satisfies Partial<
  Record<ConsoleAskId, ConsoleCommandEntry | PublicCommandEntry>
>;
