import { shape, text } from '../../contracts/console/view-parts.ts';
import { passwordProblem } from '../../domain/session/password.ts';
import type { ApiReply } from '../api-reply.ts';
import { optional } from '../body-parts.ts';
import type { ConversationActors, PasswordCaller } from '../conversation.ts';
import { conversation, signedIn } from '../operation.ts';
import { askReads, askWriter } from './ask-actors.ts';
import { findOwnPassword } from './find-own-password.ts';
import { countWrong, passwordsBusy } from './password-checks.ts';
import { setOwnPassword } from './set-own-password.ts';
import type { OwnPassword, SetOwnPassword } from './step-bodies.ts';

const wrongCurrent = 'This is not your current password.';

/** Sets the member's own password. `current`, the present one, is needed if there is one. */
export const changePassword = conversation('change-password', {
  route: 'POST /password',
  access: signedIn,
  body: shape({ current: optional(text), password: text }),
  run: async ({ reply, body: asked }, actors) => {
    const own = askReads<OwnPassword>(reply, findOwnPassword, {}, actors);
    if (own === null) return;
    const problem = passwordProblem(asked.password);
    if (problem !== null) {
      reply.refuse({ code: 'invalid-request', detail: problem });
      return;
    }
    if (!(await isAllowed(reply, own.value, asked.current, actors))) return;
    const passwordHash = await actors.passwords.hash(callerOf(reply, own.value), asked.password);
    if (passwordHash === 'busy') {
      await passwordsBusy(reply);
      return;
    }
    const step: SetOwnPassword = { checkedHash: own.value.passwordHash, passwordHash };
    const set = await askWriter<null>(reply, setOwnPassword, step, actors);
    if (set !== null) reply.answerNothing({}, set.memberId);
  },
});

/** The member is signed in at the address. */
function callerOf({ request: { limitKey } }: ApiReply, { email }: OwnPassword): PasswordCaller {
  return { limitKey, account: email.toLowerCase(), isKnown: true };
}

/**
 * @returns false when the present password is wrong, missing or could not be checked; then the request has been
 * answered.
 */
async function isAllowed(
  reply: ApiReply,
  own: OwnPassword,
  current: string | undefined,
  actors: ConversationActors,
): Promise<boolean> {
  const { email, passwordHash } = own;
  if (passwordHash === null) return true;
  const checked = await countWrong(reply, email, actors, async () => {
    const checked = await actors.passwords.check(callerOf(reply, own), [passwordHash], current ?? '');
    if (checked === 'busy') return 'busy';
    if (checked[0] === true) return { right: true };
    reply.refuse({ code: 'invalid-request', detail: wrongCurrent });
    return 'wrong';
  });
  return checked !== null;
}
