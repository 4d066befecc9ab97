import { shape, text } from '../../contracts/console/view-parts.ts';
import { passwordProblem } from '../../domain/session/password.ts';
import type { ApiRequest } from '../api-request.ts';
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
  run: async ({ request, body: asked }, actors) => {
    const own = askReads<OwnPassword>(request, findOwnPassword, {}, actors);
    if (own === null) return;
    const problem = passwordProblem(asked.password);
    if (problem !== null) {
      request.refuse({ code: 'invalid-request', detail: problem });
      return;
    }
    if (!(await isAllowed(request, own.value, asked.current, actors))) return;
    const passwordHash = await actors.passwords.hash(callerOf(request, own.value), asked.password);
    if (passwordHash === 'busy') {
      await passwordsBusy(request);
      return;
    }
    const step: SetOwnPassword = { checkedHash: own.value.passwordHash, passwordHash };
    const set = await askWriter<null>(request, setOwnPassword, step, actors);
    if (set !== null) request.answer(204, '', {});
  },
});

/** The member is signed in at the address. */
function callerOf({ head: { limitKey } }: ApiRequest, { email }: OwnPassword): PasswordCaller {
  return { limitKey, account: email.toLowerCase(), isKnown: true };
}

/**
 * @returns false when the present password is wrong, missing or could not be checked; then the request has been
 * answered.
 */
async function isAllowed(
  request: ApiRequest,
  own: OwnPassword,
  current: string | undefined,
  actors: ConversationActors,
): Promise<boolean> {
  const { email, passwordHash } = own;
  if (passwordHash === null) return true;
  const checked = await countWrong(request, email, actors, async () => {
    const checked = await actors.passwords.check(callerOf(request, own), [passwordHash], current ?? '');
    if (checked === 'busy') return 'busy';
    if (checked[0] === true) return { right: true };
    request.refuse({ code: 'invalid-request', detail: wrongCurrent });
    return 'wrong';
  });
  return checked !== null;
}
