import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type { PublicCommandEntry } from '../../../contracts/console/public-handler.ts';
import { audienceCommands } from './audience-commands.ts';
import { flagCommands } from './flag-commands.ts';
import { organisationCommands } from './organisation-commands.ts';
import { projectCommands } from './project-commands.ts';
import { sessionCommands } from './session-commands.ts';
import { tokenCommands } from './token-commands.ts';

/** Every change of the console, by operation: each area has a table of its own. */
export const consoleCommands: Readonly<
  Partial<Record<ConsoleAskId, ConsoleCommandEntry | PublicCommandEntry>>
> = {
  ...audienceCommands,
  ...flagCommands,
  ...organisationCommands,
  ...projectCommands,
  ...sessionCommands,
  ...tokenCommands,
};
