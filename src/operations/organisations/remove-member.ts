import { isSameEmail, type Member } from '../../domain/member/member.ts';
import { isLastOwner } from '../../domain/member/member-rules.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { OneTimeLink } from '../../domain/session/one-time-link.ts';
import { organisationEntry } from '../audit-entries.ts';
import { consoleWrite, inOrganisation } from '../operation.ts';
import { managedMember } from './managed-member.ts';

/**
 * Removes a member from the organisation: its sessions end, and links for it and by it are withdrawn. What it has made
 * stays, tokens included. A member with personal projects stays as a person without an organisation, who owns them.
 */
export const removeMember = consoleWrite('remove-member', {
  route: 'DELETE /members/{memberId}',
  access: inOrganisation('admin'),
  run: (queries, request, principal, context) => {
    const found = managedMember(queries, principal, request.params['memberId']);
    if (!found.ok) return found;
    const member = found.value;
    if (isLastOwner(queries, member)) {
      return refuse('not-permitted', 'This member is the last Owner. Make another member an Owner first.');
    }
    const { id, name, email, role } = member;
    const changes = Object.entries({ name, email, role }).map(([field, before]) => {
      return { field, before, after: null };
    });
    const entry = organisationEntry(request, principal, context, {
      ...{ action: 'member.remove', targetId: id, targetName: name, changes },
    });
    const ends = [...endSessions(queries, id), ...withdrawLinks(queries, member)];
    return succeed({ changes: [...ends, ...removal(queries, member), entry], reply: {} });
  },
});

function* endSessions(queries: RecordQueries, memberId: string): Generator<RecordChange> {
  for (const before of queries.sessionsOf(memberId)) yield { kind: 'session', before, after: null };
}

function* withdrawLinks(queries: RecordQueries, member: Member): Generator<RecordChange> {
  for (const before of queries.oneTimeLinksOf(member.organisationId ?? '')) {
    if (before.createdBy === member.id || isFor(before, member))
      yield { kind: 'one-time-link', before, after: null };
  }
}

/** An invitation for the same email is withdrawn too: it would admit the member again. */
function isFor({ purpose }: OneTimeLink, member: Member): boolean {
  if (purpose.kind === 'sign-in') return purpose.memberId === member.id;
  return purpose.kind === 'invitation' && isSameEmail(purpose.email, member.email);
}

function* removal(queries: RecordQueries, before: Member): Generator<RecordChange> {
  if (ownsProjects(queries, before.id)) {
    const outside = { organisationId: null, role: 'viewer', revision: before.revision + 1 } as const;
    yield { kind: 'member', before, after: { ...before, ...outside } };
    return;
  }
  for (const identity of queries.identitiesOf(before.id)) {
    yield { kind: 'identity', before: identity, after: null };
  }
  yield { kind: 'member', before, after: null };
}

function ownsProjects(queries: RecordQueries, memberId: string): boolean {
  for (const project of queries.projects()) if (project.ownerMemberId === memberId) return true;
  return false;
}
