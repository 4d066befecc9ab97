import { membersMax } from '../../domain/bounds.ts';
import type { ConsolePrincipal } from '../../domain/console/console-principal.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import type { Member, Role } from '../../domain/member/member.ts';
import { hasMemberWithEmail, isFullOfMembers } from '../../domain/member/member-rules.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { endOffers } from '../../domain/session/first-owner-offer.ts';
import { findUsableLink, linkOver, withdrawSignInLinks } from '../../domain/session/link-rules.ts';
import type { OneTimeLink } from '../../domain/session/one-time-link.ts';
import { endSessions } from '../../domain/session/session-changes.ts';
import { facts, organisationEntry, ownEntry, passwordChange } from '../audit-entries.ts';
import {
  anybody,
  type ConsoleContext,
  type ConsoleDecision,
  type ConsoleRequest,
  writeStep,
} from '../operation.ts';
import { openSession } from './open-session.ts';
import type { ConsumeLink } from './step-bodies.ts';

const emailTaken = 'A member of the organisation has this email already. Sign in, or ask for a sign-in link.';
const full = `The organisation has ${membersMax} members, which is the limit. Ask an Admin to remove some, then follow the link again.`;

/** A member whose session begins, and the changes that create it. */
interface Entrant {
  readonly member: Member;
  readonly changes: readonly RecordChange[];
}

/** Uses up a link: its follower is then a member, and signed in. */
export const consumeLink = writeStep(
  'consume-link',
  anybody,
  (queries, request: ConsoleRequest<ConsumeLink>, principal, context) => {
    const found = findUsableLink(queries, request.body.secret, context);
    if (!found.ok) return found;
    const entrant = admit(queries, found.value, request, context);
    return entrant.ok ? enter(queries, found.value, entrant.value, request, principal, context) : entrant;
  },
);

/** The link is deleted in the transaction that begins the session. */
function enter(
  queries: RecordQueries,
  link: OneTimeLink,
  { member, changes }: Entrant,
  request: ConsoleRequest,
  principal: ConsolePrincipal | null,
  context: ConsoleContext,
): Outcome<ConsoleDecision, ConsoleProblem> {
  const opened = openSession(queries, member, { method: 'link', link }, request, principal, context);
  return succeed({
    changes: [...useUp(queries, link), ...changes, ...opened.changes],
    reply: { value: opened.begun },
  });
}

/** With a first Owner's link all of them end: there is a member. */
export function useUp(queries: RecordQueries, link: OneTimeLink): readonly RecordChange[] {
  if (link.purpose.kind === 'first-owner') return endOffers(queries, link.organisationId);
  return [{ kind: 'one-time-link', before: link, after: null }];
}

/** @returns the member that a link creates or names, with the password set if one was given. */
export function admit(
  queries: RecordQueries,
  link: OneTimeLink,
  request: ConsoleRequest<Omit<ConsumeLink, 'secret'>>,
  context: ConsoleContext,
): Outcome<Entrant, ConsoleProblem> {
  const { purpose, organisationId } = link;
  switch (purpose.kind) {
    case 'invitation':
      return create(queries, { organisationId, ...purpose }, request, context);
    case 'first-owner':
      return begin(queries, organisationId, request, context);
    case 'sign-in':
      return signIn(queries, link, purpose.memberId, request, context);
  }
}

/** The first Owner names the organisation, too. */
function begin(
  queries: RecordQueries,
  organisationId: string,
  request: ConsoleRequest<Omit<ConsumeLink, 'secret'>>,
  context: ConsoleContext,
): Outcome<Entrant, ConsoleProblem> {
  const { email, organisation: name } = request.body;
  const created = create(queries, { organisationId, email, role: 'owner' }, request, context);
  const before = queries.organisation(organisationId);
  if (!created.ok || before === undefined || name === null || name === before.name) return created;
  const { member, changes } = created.value;
  const after = { ...before, name, revision: before.revision + 1 };
  const entry = organisationEntry(request, { member, organisation: after }, context, {
    action: 'organisation.edit',
    targetId: after.id,
    targetName: name,
    changes: [{ field: 'name', before: before.name, after: name }],
  });
  return succeed({ member, changes: [...changes, { kind: 'organisation', before, after }, entry] });
}

interface NewMember {
  readonly organisationId: string;
  readonly email: string | null;
  readonly role: Role;
}

function create(
  queries: RecordQueries,
  { organisationId, email, role }: NewMember,
  request: ConsoleRequest<Omit<ConsumeLink, 'secret'>>,
  context: ConsoleContext,
): Outcome<Entrant, ConsoleProblem> {
  if (queries.organisation(organisationId) === undefined) return linkOver();
  const { name, passwordHash } = request.body;
  if (name === null || email === null) throw new Error('a new member has a name and an email');
  // Others may have joined since the link was made, and since it was inspected.
  if (hasMemberWithEmail(queries, organisationId, email)) return refuse('conflict', emailTaken);
  if (isFullOfMembers(queries, organisationId)) return refuse('conflict', full);
  const member: Member = {
    ...{ id: context.newId(), organisationId, name, email, role, passwordHash },
    createdAt: context.now,
    lastSignInAt: null,
    revision: 1,
  };
  const fields = facts({ name, email, role });
  const recorded = passwordHash === null ? fields : [...fields, passwordChange];
  const entry = ownEntry(member, 'member.create', recorded, request, context);
  return succeed({ member, changes: [{ kind: 'member', before: null, after: member }, entry] });
}

/** A password that is set here ends every other session and sign-in link, as a changed one does. */
function signIn(
  queries: RecordQueries,
  link: OneTimeLink,
  memberId: string,
  request: ConsoleRequest<Omit<ConsumeLink, 'secret'>>,
  context: ConsoleContext,
): Outcome<Entrant, ConsoleProblem> {
  const before = queries.member(memberId);
  if (before === undefined) return linkOver();
  const { passwordHash } = request.body;
  if (passwordHash === null) return succeed({ member: before, changes: [] });
  const member: Member = { ...before, passwordHash, revision: before.revision + 1 };
  const changes = [
    { kind: 'member', before, after: member } as const,
    ...endSessions(queries, memberId, null),
    ...withdrawSignInLinks(queries, before, link.id),
    ownEntry(member, 'member.edit', [passwordChange], request, context),
  ];
  return succeed({ member, changes });
}
