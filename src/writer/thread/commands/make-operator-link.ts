import { accountOfMember, type Member } from '../../../domain/member/member.ts';
import { type Outcome, refuse, succeed } from '../../../domain/outcome.ts';
import { shown, shownList } from '../../../domain/problem-list.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { isLinkOver, linkLifetimeMs } from '../../../domain/session/one-time-link.ts';
import { type LinkContext, madeLinkChanges, makeLink } from '../../../operations/organisations/make-link.ts';
import { operatorEntry } from '../provision/provision-scope.ts';
import type { Decision } from './command.ts';

export interface OperatorLinkArgs {
  /** Compared without regard to case. */
  readonly email: string;
  /** Name or id; null when the email alone identifies the member. */
  readonly organisation: string | null;
}

export interface OperatorLinkResult {
  readonly url: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  readonly member: { readonly id: string; readonly name: string; readonly email: string };
}

/** The operator's `member sign-in-link`. The link works once, and replaces no other link. */
export function makeOperatorLink(
  queries: RecordQueries,
  { email, organisation }: OperatorLinkArgs,
  context: LinkContext,
): Outcome<Decision<OperatorLinkResult>> {
  const found = findMember(queries, email, organisation);
  if (!found.ok) return found;
  const member = found.value;
  const plan = {
    organisationId: accountOfMember(member),
    purpose: { kind: 'sign-in', memberId: member.id },
    createdBy: null,
    lifetimeMs: linkLifetimeMs,
  } as const;
  const { link, made } = makeLink(plan, context);
  const entry = operatorEntry(
    {
      ledgerId: member.organisationId ?? member.id,
      projectId: null,
      action: 'member.make-sign-in-link',
      targetId: member.id,
      targetName: member.name,
      changes: madeLinkChanges(link),
    },
    context,
  );
  const { id, name } = member;
  return succeed({
    changes: [
      ...overLinks(queries, member, context.now),
      { kind: 'one-time-link', before: null, after: link },
      { kind: 'audit', entry },
    ],
    result: { url: made.url, expiresAt: link.expiresAt, member: { id, name, email: member.email } },
  });
}

/** Removes expired links of people without an organisation: there are no invitations, which would remove them. */
function overLinks(queries: RecordQueries, member: Member, now: number): RecordChange[] {
  const over = [...queries.oneTimeLinksOf(accountOfMember(member))].filter((link) => isLinkOver(link, now));
  return over.map((before) => ({ kind: 'one-time-link', before, after: null }));
}

function findMember(queries: RecordQueries, email: string, organisation: string | null): Outcome<Member> {
  const named = [...queries.membersByEmail(email.trim())].map((member) => ({
    member,
    organisationId: member.organisationId ?? '',
    organisationName: queries.organisation(member.organisationId ?? '')?.name ?? '',
  }));
  const meant = named.filter(
    ({ organisationId, organisationName }) =>
      organisation === null || organisation === organisationId || organisation.trim() === organisationName,
  );
  const [only] = meant;
  if (only === undefined) {
    const where = organisation === null ? '' : ` in the organisation "${shown(organisation)}"`;
    return refuse('not-found', `No member${where} has the email "${shown(email)}".`);
  }
  if (meant.length === 1) return succeed(only.member);
  const names = shownList(
    meant.map(({ organisationName, organisationId }) => organisationName || organisationId),
  );
  return refuse(
    'invalid-request',
    `Several members have this email. Give one of these organisations with --organisation: ${names}`,
  );
}
