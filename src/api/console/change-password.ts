import { type ChangePasswordBody, changePasswordBodySchema } from '../../contracts/console/console-bodies.ts';
import type { OwnPassword, SetOwnPassword } from '../../contracts/console/step-bodies.ts';
import { passwordProblem } from '../../domain/session/password.ts';
import { askReads, askWriter } from './ask-actors.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleConversation } from './console-conversation.ts';
import type { ConsoleReply } from './console-reply.ts';
import { countWrong } from './count-wrong.ts';
import { passwordsBusy } from './password-refusals.ts';
import { readConversationBody } from './read-conversation-body.ts';

const wrongCurrent = 'This is not your present password.';

/** Sets the member's own password; the present one is asked for, once there is one. */
export const changePassword: ConsoleConversation = async ({ reply, body }, actors) => {
  const own = askReads<OwnPassword>(reply, 'find-own-password', {}, actors);
  if (own === null) return;
  const asked = readConversationBody<ChangePasswordBody>(reply, changePasswordBodySchema, body);
  if (asked === null) return;
  const problem = passwordProblem(asked.password);
  if (problem !== null) {
    reply.refuse({ code: 'invalid-request', detail: problem });
    return;
  }
  if (!(await isAllowed(reply, own.value, asked.current, actors))) return;
  const passwordHash = await actors.passwords.hash(asked.password);
  if (passwordHash === 'busy') {
    passwordsBusy(reply);
    return;
  }
  const step: SetOwnPassword = { checkedHash: own.value.passwordHash, passwordHash };
  const set = await askWriter<null>(reply, 'set-own-password', step, actors);
  if (set !== null) reply.answerNothing({}, set.memberId);
};

/** @returns false when the present password is wrong, missing or could not be checked, and the request has been answered so. */
async function isAllowed(
  reply: ConsoleReply,
  { email, passwordHash }: OwnPassword,
  current: string | undefined,
  actors: ConsoleActors,
): Promise<boolean> {
  if (passwordHash === null) return true;
  const checked = await countWrong(reply, email, actors, async () => {
    const isRight = await actors.passwords.check(passwordHash, current ?? '');
    if (isRight === true) return { right: true };
    if (isRight === 'busy') {
      passwordsBusy(reply);
      return null;
    }
    reply.refuse({ code: 'invalid-request', detail: wrongCurrent });
    return 'wrong';
  });
  return checked !== null;
}
