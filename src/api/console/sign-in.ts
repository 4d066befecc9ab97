import { type SignInBody, signInBodySchema } from '../../contracts/console/console-bodies.ts';
import type { SignInAnswer } from '../../contracts/console/console-views.ts';
import type {
  BeginSession,
  BegunSession,
  Credential,
  FoundCredentials,
} from '../../contracts/console/step-bodies.ts';
import { wrongCredentials } from '../../domain/session/wrong-credentials.ts';
import { askEvaluator, askWriter } from './ask-actors.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';
import type { GatewayOperation } from './gateway-operation.ts';
import { passwordsBusy, refuseAttempts } from './password-refusals.ts';
import { readGatewayBody } from './read-gateway-body.ts';
import { answerBegun } from './start-session.ts';

/** Email and password to a session. A person who is in several organisations with them says which. */
export const signIn: GatewayOperation = async ({ reply, body }, actors) => {
  const asked = readGatewayBody<SignInBody>(reply, signInBodySchema, body);
  if (asked === null) return;
  const { limitKey } = reply.request;
  const waitSeconds = actors.attempts.begin(asked.email, limitKey);
  if (waitSeconds !== null) {
    refuseAttempts(reply, waitSeconds);
    return;
  }
  const found = await askEvaluator<FoundCredentials>(
    reply,
    'find-credentials',
    { email: asked.email },
    actors,
  );
  if (found === null) return;
  const meant = found.value.credentials.filter(
    ({ memberId }) => asked.memberId === undefined || memberId === asked.memberId,
  );
  const right = await rightOnes(meant, asked.password, actors);
  if (right === 'busy') passwordsBusy(reply);
  else if (right.length === 0) reply.refuse(wrongCredentials().problem);
  else {
    actors.attempts.succeeded(asked.email, limitKey);
    await goOn(reply, right, actors);
  }
};

/** For an email that nobody has, as much is done as for one that one member has. */
async function rightOnes(
  meant: readonly Credential[],
  password: string,
  { passwords }: ConsoleActors,
): Promise<readonly Credential[] | 'busy'> {
  if (meant.length === 0) {
    const checked = await passwords.check(null, password);
    return checked === 'busy' ? 'busy' : [];
  }
  const right: Credential[] = [];
  for (const credential of meant) {
    const checked = await passwords.check(credential.passwordHash, password);
    if (checked === 'busy') return 'busy';
    if (checked) right.push(credential);
  }
  return right;
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
