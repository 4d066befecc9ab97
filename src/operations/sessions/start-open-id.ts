import type { LinkView } from '../../contracts/console/member-views.ts';
import { type OpenIdStart, openIdStartSchema } from '../../contracts/console/session-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { OpenIdRefusal } from '../../domain/session/open-id-rules.ts';
import type { ApiRequest } from '../api-request.ts';
import { optional } from '../body-parts.ts';
import { basePathOf } from '../console-settings.ts';
import type { ConversationActors } from '../conversation.ts';
import { anybody, conversation } from '../operation.ts';
import { newSecret } from '../operation-context.ts';
import { askReads, askWriter } from './ask-actors.ts';
import { findSignInKey } from './find-sign-in-key.ts';
import { inspectLink } from './inspect-link.ts';
import { makeSignInKey } from './make-sign-in-key.ts';
import { consolePage } from './open-id/console-page.ts';
import { proofOf, sealSignIn } from './open-id/sealed-sign-in.ts';
import { refuseAttempts } from './password-checks.ts';
import type { SignInKey } from './step-bodies.ts';
import { readOrganisationName } from './use-link.ts';

const notConfigured =
  'No OpenID provider is configured here. Sign in with a password or a sign-in link, or ask the operator for `open-id-issuer`.';
const unreachable =
  'The OpenID provider does not answer. Try again in a moment, or sign in with a password or a sign-in link.';
const unusable =
  'The answer of the OpenID provider cannot be used. Sign in with a password or a sign-in link; the operator finds the cause in the log of this service';

/**
 * Answers with the provider's page at which the person signs in. The secret of a link, with which a person joins or
 * signs in, comes in the body and stays here: neither the provider nor the address for the return contains it.
 */
export const startOpenId = conversation('start-open-id', {
  route: 'POST /openid/start',
  access: anybody,
  body: shape({
    /** The secret of a one-time link. Its member is joined to the account with which the person signs in. */
    linkSecret: optional(text),
    /** The organisation's name, from its first Owner. */
    organisation: optional(text),
    /** The page of the console to return to. */
    back: optional(text),
  }),
  answer: openIdStartSchema,
  run: async ({ request, body: asked }, actors) => {
    const { openId, openIdCookie, attempts } = actors;
    if (openId === null) {
      request.refuse({ code: 'not-found', detail: notConfigured });
      return;
    }
    const { limitKey } = request.head;
    const waitSeconds = await attempts.beginFrom(limitKey);
    if (waitSeconds !== null) {
      await refuseAttempts(request, waitSeconds);
      return;
    }
    const linkSecret = asked.linkSecret ?? null;
    let organisation: string | null = null;
    if (linkSecret !== null) {
      const link = askReads<LinkView>(request, inspectLink, { secret: linkSecret }, actors);
      if (link === null) return;
      const problems = new ProblemList();
      organisation = readOrganisationName(asked.organisation, link.value, problems);
      if (!problems.isEmpty) {
        request.refuse({ code: 'invalid-request', detail: problems.detail() });
        return;
      }
    }
    const key = await signInKey(request, actors);
    if (key === null) return;
    const proof = proofOf(newSecret(), key);
    const begun = await openId.begin(proof, request.call.requestId);
    if (typeof begun === 'string') {
      // The provider failed, so it does not count as an attempt of this address.
      attempts.giveBackFrom(limitKey);
      refuseStart(request, begun);
      return;
    }
    const back = consolePage(asked.back, basePathOf(actors.settings.baseUrl));
    const sealed = sealSignIn(
      { ...proof, begunAt: Date.now(), linkSecret, organisation, back, limitKey },
      key,
    );
    const setCookies = [openIdCookie.set(proof.state, sealed)];
    request.answerJson({ url: begun.url } satisfies OpenIdStart, { setCookies });
  },
});

/** @returns null when it could not be made: the request has been answered */
async function signInKey(request: ApiRequest, actors: ConversationActors): Promise<string | null> {
  const found = askReads<SignInKey>(request, findSignInKey, {}, actors);
  if (found === null || found.value.key !== null) return found?.value.key ?? null;
  const made = await askWriter<SignInKey>(request, makeSignInKey, {}, actors);
  return made?.value.key ?? null;
}

const crowded = 'Too many people are signing in at once. Try again in a moment.';

function refuseStart(request: ApiRequest, refusal: OpenIdRefusal): void {
  if (refusal === 'unavailable') request.refuseUnavailable(crowded);
  else if (refusal === 'provider-unreachable') request.refuseUnavailable(unreachable);
  else request.refuseUnavailable(`${unusable} (request ${request.call.requestId}).`);
}
