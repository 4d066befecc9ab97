import type { LinkView } from '../../contracts/console/member-views.ts';
import { type OpenIdStart, openIdStartSchema } from '../../contracts/console/session-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import type { OpenIdRefusal } from '../../domain/session/open-id-rules.ts';
import type { ApiReply } from '../api-reply.ts';
import { optional } from '../body-parts.ts';
import { anybody, conversation } from '../operation.ts';
import { askReads } from './ask-actors.ts';
import { inspectLink } from './inspect-link.ts';
import { consolePage } from './open-id/console-page.ts';
import { refuseAttempts } from './password-checks.ts';

const notConfigured =
  'No OpenID provider is configured here. Sign in with a password or a sign-in link, or ask the operator for `open-id-issuer`.';
const unreachable =
  'The OpenID provider does not answer. Try again in a moment, or sign in with a password or a sign-in link.';
const unusable =
  'The answer of the OpenID provider cannot be used. Sign in with a password or a sign-in link; the operator finds the cause in the log of this service';

/**
 * Tells the page where the person signs in at the provider. The secret of a link, with which a person joins or signs
 * in, comes in the body and stays here: neither the provider nor the address for the return contains it.
 */
export const startOpenId = conversation('start-open-id', {
  route: 'POST /openid/start',
  access: anybody,
  body: shape({
    /** The secret of a one-time link. Its member is joined to the account with which the person signs in. */
    linkSecret: optional(text),
    /** The page of the console to return to. */
    back: optional(text),
  }),
  answer: openIdStartSchema,
  run: async ({ reply, body: asked }, actors) => {
    const { openId, openIdCookie, attempts } = actors;
    if (openId === null) {
      reply.refuse({ code: 'not-found', detail: notConfigured });
      return;
    }
    const { limitKey, requestId } = reply.request;
    const waitSeconds = await attempts.beginFrom(limitKey);
    if (waitSeconds !== null) {
      refuseAttempts(reply, waitSeconds);
      return;
    }
    const linkSecret = asked.linkSecret ?? null;
    if (linkSecret !== null) {
      const link = askReads<LinkView>(reply, inspectLink, { secret: linkSecret }, actors);
      if (link === null) return;
    }
    const begun = await openId.begin({ linkSecret, back: consolePage(asked.back), limitKey }, requestId);
    if (typeof begun === 'string') {
      // The provider failed, so it does not count as an attempt of this address.
      attempts.giveBackFrom(limitKey);
      refuseStart(reply, begun);
      return;
    }
    const { signIn, url } = begun;
    const setCookies = [openIdCookie.set(signIn.state, signIn.browserSecret)];
    reply.answerJson({ url } satisfies OpenIdStart, { setCookies });
  },
});

const crowded = 'Too many people are signing in at once. Try again in a moment.';

function refuseStart(reply: ApiReply, refusal: OpenIdRefusal): void {
  if (refusal === 'unavailable') reply.refuseUnavailable(crowded);
  else if (refusal === 'provider-unreachable') reply.refuseUnavailable(unreachable);
  else reply.refuseUnavailable(`${unusable} (request ${reply.request.requestId}).`);
}
