import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type { PublicReadEntry } from '../../../contracts/console/public-handler.ts';

/** Sessions, sign-in and one-time links. */
export const sessionReads = {} satisfies Partial<Record<ConsoleAskId, ConsoleReadEntry | PublicReadEntry>>;
