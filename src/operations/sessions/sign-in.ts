import type { Static } from 'typebox';
import { type SignInAnswer, signInAnswerSchema } from '../../contracts/console/session-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { wrongCredentials } from '../../domain/session/password.ts';
import type { ApiRequest } from '../api-request.ts';
import { optional } from '../body-parts.ts';
import type { ConversationActors } from '../conversation.ts';
import { anybody, conversation } from '../operation.ts';
import { answerBegun, askReads, askWriter } from './ask-actors.ts';
import { beginSessionByPassword } from './begin-session-by-password.ts';
import { findCredentials } from './find-credentials.ts';
import { type Checked, countWrong, rightCredentials } from './password-checks.ts';
import type { BeginSession, BegunSession, Credential, FoundCredentials } from './step-bodies.ts';

const sent = shape({ email: text, password: text, memberId: optional(text) });
type SignInBody = Static<typeof sent>;

/** Begins a session with email and password. A person who has them in several organisations chooses one. */
export const signIn = conversation('sign-in', {
  route: 'POST /session',
  access: anybody,
  body: sent,
  answer: signInAnswerSchema,
  run: async ({ request, body: asked }, actors) => {
    const checked = await countWrong(request, asked.email, actors, () => check(request, asked, actors));
    if (checked !== null) await goOn(request, checked.right, actors);
  },
});

async function check(
  request: ApiRequest,
  { email, password, memberId }: SignInBody,
  actors: ConversationActors,
): Promise<Checked<readonly Credential[]>> {
  const found = askReads<FoundCredentials>(request, findCredentials, { email }, actors);
  if (found === null) return null;
  const { memberIds, credentials, isKnownAddress } = found.value;
  const isMeant = (id: string): boolean => memberId === undefined || id === memberId;
  const meant = credentials.filter((each) => isMeant(each.memberId));
  const caller = {
    limitKey: request.head.limitKey,
    account: email.toLowerCase(),
    isKnown: isKnownAddress,
  };
  const right = await rightCredentials(meant, password, actors.passwords, caller);
  if (right === 'busy') return 'busy';
  if (right.length > 0) return { right };
  actors.noteFailedSignIn(memberIds.filter(isMeant), request.call);
  request.refuse(wrongCredentials().problem);
  return 'wrong';
}

async function goOn(
  request: ApiRequest,
  right: readonly Credential[],
  actors: ConversationActors,
): Promise<void> {
  const [only] = right;
  if (only === undefined || right.length > 1) {
    const choices = right.map(({ memberId, organisationName }) => ({ memberId, organisationName }));
    request.answerJson({ choices } satisfies SignInAnswer);
    return;
  }
  const { memberId, passwordHash } = only;
  const step: BeginSession = { memberId, passwordHash };
  const begun = await askWriter<BegunSession>(request, beginSessionByPassword, step, actors);
  if (begun !== null) answerBegun(request, begun.value, actors);
}
