import { type UseLinkBody, useLinkBodySchema } from '../../contracts/console/console-bodies.ts';
import type { BegunSession, ConsumeLink } from '../../contracts/console/step-bodies.ts';
import type { LinkView } from '../../contracts/console/views/member-views.ts';
import { emailCharsMax, isEmailAddress } from '../../domain/member/email.ts';
import { readName } from '../../domain/name-rules.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { passwordProblem } from '../../domain/session/password.ts';
import { askReads, askWriter } from './ask-actors.ts';
import type { ConsoleConversation } from './console-conversation.ts';
import { passwordsBusy } from './password-refusals.ts';
import { readConversationBody } from './read-conversation-body.ts';
import { answerBegun } from './start-session.ts';

/**
 * Follows a one-time link: makes the member that it invites, or signs in the one that it is for. The link is looked at
 * first, so that nobody can make the service hash passwords without one.
 */
export const useLink: ConsoleConversation = async ({ reply, body }, actors) => {
  const asked = readConversationBody<UseLinkBody>(reply, useLinkBodySchema, body);
  if (asked === null) return;
  const link = askReads<LinkView>(reply, 'inspect-link', { secret: asked.secret }, actors);
  if (link === null) return;
  const problems = new ProblemList();
  const entrant = readEntrant(asked, link.value, problems);
  if (!problems.isEmpty) {
    reply.refuse({ code: 'invalid-request', detail: problems.detail() });
    return;
  }
  const passwordHash = asked.password === undefined ? null : await actors.passwords.hash(asked.password);
  if (passwordHash === 'busy') {
    passwordsBusy(reply);
    return;
  }
  const step: ConsumeLink = { secret: asked.secret, ...entrant, passwordHash };
  const begun = await askWriter<BegunSession>(reply, 'consume-link', step, actors);
  if (begun !== null) answerBegun(reply, begun.value, actors);
};

function readEntrant(
  asked: UseLinkBody,
  link: LinkView,
  problems: ProblemList,
): Pick<ConsumeLink, 'name' | 'email'> {
  const name = link.needsName ? readName(asked.name ?? '', problems) : null;
  const email = link.kind === 'first-owner' ? readEmail(asked.email ?? '', problems) : null;
  const password = asked.password ?? (link.needsPassword ? '' : null);
  const problem = password === null ? null : passwordProblem(password);
  if (problem !== null) problems.add(() => problem);
  return { name, email };
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
