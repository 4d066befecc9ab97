import type {
  BeginOpenIdSession,
  BegunOpenIdSession,
  OpenIdPerson,
} from '../../../contracts/console/step-bodies.ts';
import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';
import { callOf } from '../ask-actors.ts';
import type { ConsoleActors } from '../console-actors.ts';
import type { ConsoleConversation } from '../console-conversation.ts';
import type { ConsoleReply } from '../console-reply.ts';
import { cookieOf } from '../start-session.ts';
import type { OpenIdPort } from './open-id-protocol.ts';
import type { PendingSignIn } from './pending-sign-ins.ts';

/**
 * The provider has sent the browser here. Whatever comes of it, the browser goes on to a page of the console: the one that
 * it wanted, signed in, or the one for signing in, with the reason as a word of a closed list.
 */
export const finishOpenId: ConsoleConversation = async ({ reply }, actors) => {
  const { openId, openIdCookie } = actors;
  const { rawQuery, cookies } = reply.request;
  const state = new URLSearchParams(rawQuery).get('state');
  const signIn =
    openId === null || state === null ? null : await openId.take(state, openIdCookie.read(state, cookies));
  if (openId === null || signIn === null) turnBack(reply, 'expired', null, []);
  else await enter(reply, signIn, openId, actors);
};

async function enter(
  reply: ConsoleReply,
  signIn: PendingSignIn,
  openId: OpenIdPort,
  actors: ConsoleActors,
): Promise<void> {
  const { rawQuery, requestId } = reply.request;
  const used = actors.openIdCookie.clear(signIn.state);
  const person = await openId.receive(rawQuery, signIn, requestId);
  const entered = typeof person === 'string' ? refused(person) : await begin(reply, signIn, person, actors);
  if (entered.begun === null) {
    turnBack(reply, entered.refusal, signIn, [used]);
    return;
  }
  actors.attempts.giveBackFrom(signIn.limitKey);
  reply.redirect(signIn.back, [cookieOf(entered.begun, actors), used], entered.begun.memberId);
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
