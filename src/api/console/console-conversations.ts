import type { ConsoleOperationId } from '../../contracts/console/console-paths.ts';
import { changePassword } from './change-password.ts';
import type { ConsoleConversation } from './console-conversation.ts';
import { finishOpenId } from './open-id/finish-open-id.ts';
import { startOpenId } from './open-id/start-open-id.ts';
import { signIn } from './sign-in.ts';
import { useLink } from './use-link.ts';
import { watchChanges } from './watch-changes.ts';

/** Every operation that is a conversation. */
export const consoleConversations: Readonly<Partial<Record<ConsoleOperationId, ConsoleConversation>>> = {
  'sign-in': signIn,
  'change-password': changePassword,
  'use-link': useLink,
  'start-open-id': startOpenId,
  'finish-open-id': finishOpenId,
  'watch-project': watchChanges('watch-project'),
  'watch-organisation': watchChanges('watch-organisation'),
};
