import type { OpenIdRefusal } from '../../domain/session/open-id-rules.ts';
import type { ApiRequest } from '../api-request.ts';
import { basePathOf } from '../console-settings.ts';
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
  run: async ({ request }, actors) => {
    const { openId, openIdCookie } = actors;
    const state = new URLSearchParams(request.call.query).get('state');
    if (openId === null || state === null) {
      turnBack(request, 'expired', null, [], actors);
      return;
    }
    const asked: FindPendingSignIn = { state, sealed: openIdCookie.read(state, request.head.cookies) };
    const found = askReads<FoundPendingSignIn>(request, findPendingSignIn, asked, actors);
    if (found === null) return;
    const { signIn } = found.value;
    if (signIn === null) turnBack(request, 'expired', null, [], actors);
    else await enter(request, signIn, openId, actors);
  },
});

async function enter(
  request: ApiRequest,
  signIn: PendingSignIn,
  openId: OpenIdPort,
  actors: ConversationActors,
): Promise<void> {
  const { query, requestId } = request.call;
  const { limitKey } = request.head;
  const used = actors.openIdCookie.clear(signIn.state);
  // A return may be repeated, so it counts as an attempt to sign in: that limits requests to the provider.
  if ((await actors.attempts.beginFrom(limitKey)) !== null) {
    turnBack(request, 'unavailable', signIn, [], actors);
    return;
  }
  const person = await openId.receive(query, signIn, limitKey, requestId);
  const entered = typeof person === 'string' ? refused(person) : await begin(request, signIn, person, actors);
  if (entered.begun === null) {
    turnBack(request, entered.refusal, signIn, [used], actors);
    return;
  }
  actors.attempts.giveBackFrom(signIn.limitKey);
  actors.attempts.giveBackFrom(limitKey);
  request.callerId = entered.begun.memberId;
  const setCookies = [cookieOf(entered.begun, actors), used];
  request.answer(303, '', { location: signIn.back, setCookies });
}

function refused(refusal: OpenIdRefusal): BegunOpenIdSession {
  return { begun: null, refusal };
}

async function begin(
  request: ApiRequest,
  { linkSecret, organisation, state, begunAt }: PendingSignIn,
  person: OpenIdPerson,
  { writer, touch }: ConversationActors,
): Promise<BegunOpenIdSession> {
  const step: BeginOpenIdSession = { ...person, linkSecret, organisation, state, begunAt };
  const outcome = await writer.write(callOf(request, beginOpenIdSession, step));
  if (outcome.kind !== 'answered' || outcome.answer.status >= 300) return refused('unavailable');
  touch(outcome.answer.touchedSessionId);
  return JSON.parse(String(outcome.answer.body)) as BegunOpenIdSession;
}

/** @param signIn null when this browser has none */
function turnBack(
  request: ApiRequest,
  refusal: OpenIdRefusal,
  signIn: PendingSignIn | null,
  setCookies: readonly string[],
  { settings }: ConversationActors,
): void {
  const back = signIn === null ? '' : `&back=${encodeURIComponent(signIn.back)}`;
  const location = `${basePathOf(settings.baseUrl)}/console/sign-in?openid=${refusal}${back}`;
  request.answer(303, '', { location, setCookies });
}
