import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type { PublicReadEntry } from '../../../contracts/console/public-handler.ts';
import { findCredentials } from './find-credentials.ts';
import { findOwnPassword } from './find-own-password.ts';
import { inspectLink } from './inspect-link.ts';
import { listSessions } from './list-sessions.ts';
import { readSession } from './read-session.ts';

/** Sessions, sign-in and one-time links. */
export const sessionReads = {
  'read-session': { scope: 'public', run: readSession },
  'list-sessions': { scope: 'member', run: listSessions },
  'find-credentials': { scope: 'public', run: findCredentials },
  'find-own-password': { scope: 'member', run: findOwnPassword },
  'inspect-link': { scope: 'public', run: inspectLink },
} satisfies Partial<Record<ConsoleAskId, ConsoleReadEntry | PublicReadEntry>>;
