import type {
  BeginOpenIdSession,
  BegunOpenIdSession,
  OpenIdPerson,
} from '../../../contracts/console/step-bodies.ts';
import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';
import { callOf } from '../ask-actors.ts';
import type { ConsoleActors } from '../console-actors.ts';
import type { ConsoleReply } from '../console-reply.ts';
import type { GatewayOperation } from '../gateway-operation.ts';
import { cookieOf } from '../start-session.ts';
import type { OpenIdDesk } from './open-id-desk.ts';
import { openIdFaultOf } from './open-id-fault.ts';
import type { PendingSignIn } from './pending-sign-ins.ts';

/**
 * The provider has sent the browser here. Whatever comes of it, the browser goes on to a page of the console: the one that
 * it wanted, signed in, or the one for signing in, with the reason as a word of a closed list.
 */
export const finishOpenId: GatewayOperation = async ({ reply }, actors) => {
  const { openId } = actors;
  const { rawQuery, cookies } = reply.request;
  const signIn = openId?.take(rawQuery, cookies) ?? null;
  if (openId === null || signIn === null) turnBack(reply, 'expired', null, []);
  else await enter(reply, signIn, openId, actors);
};

async function enter(
  reply: ConsoleReply,
  signIn: PendingSignIn,
  openId: OpenIdDesk,
  actors: ConsoleActors,
): Promise<void> {
  const used = openId.cookie.clear(signIn.state);
  const person = await vouched(reply, signIn, openId);
  const entered = typeof person === 'string' ? refused(person) : await begin(reply, signIn, person, actors);
  if (entered.begun === null) {
    turnBack(reply, entered.refusal, signIn, [used]);
    return;
  }
  actors.attempts.giveBackFrom(signIn.limitKey);
  reply.redirect(signIn.back, [cookieOf(entered.begun, actors), used], entered.begun.memberId);
}

async function vouched(
  reply: ConsoleReply,
  signIn: PendingSignIn,
  openId: OpenIdDesk,
): Promise<OpenIdPerson | OpenIdRefusal> {
  const { rawQuery, requestId } = reply.request;
  try {
    return await openId.receive(rawQuery, signIn, requestId);
  } catch (thrown) {
    return openIdFaultOf(thrown).refusal;
  }
}

function refused(refusal: OpenIdRefusal): BegunOpenIdSession {
  return { begun: null, refusal };
}

async function begin(
  reply: ConsoleReply,
  { linkSecret }: PendingSignIn,
  person: OpenIdPerson,
  { writer, touch }: ConsoleActors,
): Promise<BegunOpenIdSession> {
  const step: BeginOpenIdSession = { ...person, linkSecret };
  const outcome = await writer.writeConsole(callOf(reply, 'begin-open-id-session', step));
  if (outcome.kind !== 'console-answered' || outcome.answer.status >= 300) return refused('unavailable');
  touch(outcome.answer.touchedSessionId);
  return JSON.parse(String(outcome.answer.body)) as BegunOpenIdSession;
}

/** @param signIn null when there was none of this browser */
function turnBack(
  reply: ConsoleReply,
  refusal: OpenIdRefusal,
  signIn: PendingSignIn | null,
  setCookies: readonly string[],
): void {
  const back = signIn === null ? '' : `&back=${encodeURIComponent(signIn.back)}`;
  reply.redirect(`/console/sign-in?openid=${refusal}${back}`, setCookies);
}
