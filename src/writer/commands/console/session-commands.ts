import type { ConsoleCommandEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type { PublicCommandEntry } from '../../../contracts/console/public-handler.ts';
import { beginOpenIdSession } from './begin-open-id-session.ts';
import { beginSessionByPassword } from './begin-session-by-password.ts';
import { consumeLink } from './consume-link.ts';
import { endSession } from './end-session.ts';
import { setOwnPassword } from './set-own-password.ts';
import { signOut } from './sign-out.ts';

/** Sessions, sign-in and one-time links. */
export const sessionCommands = {
  'begin-session': { scope: 'public', run: beginSessionByPassword },
  'begin-open-id-session': { scope: 'public', run: beginOpenIdSession },
  'sign-out': { scope: 'member', run: signOut },
  'end-session': { scope: 'member', run: endSession },
  'set-own-password': { scope: 'member', run: setOwnPassword },
  'consume-link': { scope: 'public', run: consumeLink },
} satisfies Partial<Record<ConsoleAskId, ConsoleCommandEntry | PublicCommandEntry>>;
