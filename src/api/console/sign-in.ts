import { type SignInBody, signInBodySchema } from '../../contracts/console/console-bodies.ts';
import type {
  BeginSession,
  BegunSession,
  Credential,
  FoundCredentials,
} from '../../contracts/console/step-bodies.ts';
import type { SignInAnswer } from '../../contracts/console/views/session-views.ts';
import { wrongCredentials } from '../../domain/session/wrong-credentials.ts';
import { askReads, askWriter } from './ask-actors.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleConversation } from './console-conversation.ts';
import type { ConsoleReply } from './console-reply.ts';
import { type Checked, countWrong } from './count-wrong.ts';
import { passwordsBusy } from './password-refusals.ts';
import { readConversationBody } from './read-conversation-body.ts';
import { rightCredentials } from './right-credentials.ts';
import { answerBegun } from './start-session.ts';

/** Email and password to a session. A person who is in several organisations with them says which. */
export const signIn: ConsoleConversation = async ({ reply, body }, actors) => {
  const asked = readConversationBody<SignInBody>(reply, signInBodySchema, body);
  if (asked === null) return;
  const checked = await countWrong(reply, asked.email, actors, () => check(reply, asked, actors));
  if (checked !== null) await goOn(reply, checked.right, actors);
};

async function check(
  reply: ConsoleReply,
  { email, password, memberId }: SignInBody,
  actors: ConsoleActors,
): Promise<Checked<readonly Credential[]>> {
  const found = askReads<FoundCredentials>(reply, 'find-credentials', { email }, actors);
  if (found === null) return null;
  const { credentials } = found.value;
  const meant = credentials.filter((each) => memberId === undefined || each.memberId === memberId);
  const right = await rightCredentials(meant, password, actors.passwords);
  if (right === 'busy') {
    passwordsBusy(reply);
    return null;
  }
  if (right.length > 0) return { right };
  reply.refuse(wrongCredentials().problem);
  return 'wrong';
}

async function goOn(reply: ConsoleReply, right: readonly Credential[], actors: ConsoleActors): Promise<void> {
  const [only] = right;
  if (only === undefined || right.length > 1) {
    const choices = right.map(({ memberId, organisationName }) => ({ memberId, organisationName }));
    reply.answerJson({ choices } satisfies SignInAnswer);
    return;
  }
  const { memberId, passwordHash } = only;
  const step: BeginSession = { memberId, passwordHash };
  const begun = await askWriter<BegunSession>(reply, 'begin-session', step, actors);
  if (begun !== null) answerBegun(reply, begun.value, actors);
}
