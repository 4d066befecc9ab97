import type { OpenIdRefusal } from '../../domain/session/open-id-rules.ts';
import type { ApiReply } from '../api-reply.ts';
import type { ConversationActors } from '../conversation.ts';
import { anybody, conversation } from '../operation.ts';
import { askReads, callOf, cookieOf } from './ask-actors.ts';
import { beginOpenIdSession } from './begin-open-id-session.ts';
import { findPendingSignIn } from './find-pending-sign-in.ts';
import type { OpenIdPort } from './open-id/open-id-protocol.ts';
import type { PendingSignIn } from './open-id/sealed-sign-in.ts';
import type {
  BeginOpenIdSession,
  BegunOpenIdSession,
  FindPendingSignIn,
  FoundPendingSignIn,
  OpenIdPerson,
} from './step-bodies.ts';

/**
 * The provider has sent the browser here. The browser always goes on to a page of the console: the wanted one, signed
 * in, or the sign-in page, with the reason as a word of a closed list.
 */
export const finishOpenId = conversation('finish-open-id', {
  route: 'GET /openid/callback',
  access: anybody,
  hasForeignQuery: true,
  run: async ({ reply }, actors) => {
    const { openId, openIdCookie } = actors;
    const { query, cookies } = reply.request;
    const state = new URLSearchParams(query).get('state');
    if (openId === null || state === null) {
      turnBack(reply, 'expired', null, []);
      return;
    }
    const asked: FindPendingSignIn = { state, sealed: openIdCookie.read(state, cookies) };
    const found = askReads<FoundPendingSignIn>(reply, findPendingSignIn, asked, actors);
    if (found === null) return;
    const { signIn } = found.value;
    if (signIn === null) turnBack(reply, 'expired', null, []);
    else await enter(reply, signIn, openId, actors);
  },
});

async function enter(
  reply: ApiReply,
  signIn: PendingSignIn,
  openId: OpenIdPort,
  actors: ConversationActors,
): Promise<void> {
  const { query, limitKey, requestId } = reply.request;
  const used = actors.openIdCookie.clear(signIn.state);
  // A return may be repeated: the provider is asked no more often than sign-ins may be tried.
  if ((await actors.attempts.beginFrom(limitKey)) !== null) {
    turnBack(reply, 'unavailable', signIn, []);
    return;
  }
  const person = await openId.receive(query, signIn, limitKey, requestId);
  const entered = typeof person === 'string' ? refused(person) : await begin(reply, signIn, person, actors);
  if (entered.begun === null) {
    turnBack(reply, entered.refusal, signIn, [used]);
    return;
  }
  actors.attempts.giveBackFrom(signIn.limitKey);
  actors.attempts.giveBackFrom(limitKey);
  reply.redirect(signIn.back, [cookieOf(entered.begun, actors), used], entered.begun.memberId);
}

function refused(refusal: OpenIdRefusal): BegunOpenIdSession {
  return { begun: null, refusal };
}

async function begin(
  reply: ApiReply,
  { linkSecret, organisation, state, begunAt }: PendingSignIn,
  person: OpenIdPerson,
  { writer, touch }: ConversationActors,
): Promise<BegunOpenIdSession> {
  const step: BeginOpenIdSession = { ...person, linkSecret, organisation, state, begunAt };
  const outcome = await writer.write(callOf(reply, beginOpenIdSession, step));
  if (outcome.kind !== 'answered' || outcome.answer.status >= 300) return refused('unavailable');
  touch(outcome.answer.touchedSessionId);
  return JSON.parse(String(outcome.answer.body)) as BegunOpenIdSession;
}

/** @param signIn null when this browser has none */
function turnBack(
  reply: ApiReply,
  refusal: OpenIdRefusal,
  signIn: PendingSignIn | null,
  setCookies: readonly string[],
): void {
  const back = signIn === null ? '' : `&back=${encodeURIComponent(signIn.back)}`;
  reply.redirect(`/console/sign-in?openid=${refusal}${back}`, setCookies);
}
