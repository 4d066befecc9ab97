import type { Static } from 'typebox';
import type { LinkView } from '../../contracts/console/member-views.ts';
import { signInAnswerSchema } from '../../contracts/console/session-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { emailCharsMax } from '../../domain/bounds.ts';
import { isEmailAddress } from '../../domain/member/member.ts';
import { readName } from '../../domain/name-rules.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { passwordProblem } from '../../domain/session/password.ts';
import type { ApiRequest } from '../api-request.ts';
import { optional } from '../body-parts.ts';
import type { PasswordCaller } from '../conversation.ts';
import { anybody, conversation } from '../operation.ts';
import { answerBegun, askReads, askWriter } from './ask-actors.ts';
import { consumeLink } from './consume-link.ts';
import { inspectLink } from './inspect-link.ts';
import { passwordsBusy } from './password-checks.ts';
import type { BegunSession, ConsumeLink } from './step-bodies.ts';

const sent = shape({
  secret: text,
  name: optional(text),
  email: optional(text),
  /** The organisation's name, from its first Owner. */
  organisation: optional(text),
  password: optional(text),
});
type UseLinkBody = Static<typeof sent>;

/**
 * Follows a one-time link: creates the invited member, or signs in the member that it is for. The link is inspected
 * first, so that only a client with a link can make the service hash a password.
 */
export const useLink = conversation('use-link', {
  route: 'POST /link/use',
  access: anybody,
  body: sent,
  answer: signInAnswerSchema,
  run: async ({ request, body: asked }, actors) => {
    const link = askReads<LinkView>(request, inspectLink, { secret: asked.secret }, actors);
    if (link === null) return;
    const problems = new ProblemList();
    const entrant = readEntrant(asked, link.value, problems);
    if (!problems.isEmpty) {
      request.refuse({ code: 'invalid-request', detail: problems.detail() });
      return;
    }
    const passwordHash =
      asked.password === undefined ? null : await actors.passwords.hash(linkCaller(request), asked.password);
    if (passwordHash === 'busy') {
      await passwordsBusy(request);
      return;
    }
    const step: ConsumeLink = { secret: asked.secret, ...entrant, passwordHash };
    const begun = await askWriter<BegunSession>(request, consumeLink, step, actors);
    if (begun !== null) answerBegun(request, begun.value, actors);
  },
});

/** The link is valid. Its account is known only when it is used. */
function linkCaller({ head: { limitKey } }: ApiRequest): PasswordCaller {
  return { limitKey, account: `link at ${limitKey}`, isKnown: true };
}

function readEntrant(
  asked: UseLinkBody,
  link: LinkView,
  problems: ProblemList,
): Pick<ConsumeLink, 'name' | 'email' | 'organisation'> {
  const name = link.needsName ? readName(asked.name ?? '', problems) : null;
  const email = link.kind === 'first-owner' ? readEmail(asked.email ?? '', problems) : null;
  const organisation = readOrganisationName(asked.organisation, link, problems);
  const password = asked.password ?? (link.needsPassword ? '' : null);
  const problem = password === null ? null : passwordProblem(password);
  if (problem !== null) problems.add(() => problem);
  return { name, email, organisation };
}

/** @returns the name that the first Owner gives the organisation; null keeps the present one. */
export function readOrganisationName(
  asked: string | undefined,
  { needsOrganisation }: LinkView,
  problems: ProblemList,
): string | null {
  if (asked === undefined || !needsOrganisation) return null;
  return readName(asked, problems, 'organisation');
}

function readEmail(text: string, problems: ProblemList): string {
  const email = text.trim();
  if (!isEmailAddress(email)) {
    problems.add(
      () => `email must be an email address of at most ${emailCharsMax} characters, like name@example.com`,
    );
  }
  return email;
}
