import type { Static } from 'typebox';
import { memberView, memberViewSchema } from '../../contracts/console/member-views.ts';
import { revision, roleSchema, shape, text } from '../../contracts/console/view-parts.ts';
import type { AuditChange } from '../../domain/audit/audit-entry.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { isEmailAddress, type Member, type Role } from '../../domain/member/member.ts';
import { hasMemberWithEmail, isLastOwner, managesRole } from '../../domain/member/member-rules.ts';
import { readName } from '../../domain/name-rules.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { withdrawLinksOfRole } from '../../domain/session/link-rules.ts';
import { organisationEntry } from '../audit-entries.ts';
import { optional } from '../body-parts.ts';
import { consoleWrite, inOrganisation } from '../operation.ts';
import { badEmail, takenEmail } from './invite-member.ts';
import { managedMember } from './managed-member.ts';

const sent = shape({ revision, name: optional(text), email: optional(text), role: optional(roleSchema) });
type EditMemberBody = Static<typeof sent>;

/**
 * Changes a member's name, email or role, with effect on its next request. Links for the member and links that it made
 * belong to its former role, so a new role withdraws them.
 */
export const editMember = consoleWrite('edit-member', {
  route: 'PATCH /members/{memberId}',
  access: inOrganisation('admin'),
  body: sent,
  answer: memberViewSchema,
  run: (queries, request, principal, context) => {
    const found = managedMember(queries, principal, request.params['memberId']);
    if (!found.ok) return found;
    const before = found.value;
    if (request.body.revision !== before.revision) {
      const current = memberView(queries, before);
      return refuse('conflict', 'The member has been changed since you opened it.', { current });
    }
    const edited = editedMember(queries, before, request.body);
    if (!edited.ok) return edited;
    const after = edited.value;
    const refusal = refuseRole(queries, principal.member.role, before, after.role);
    if (refusal !== null) return refusal;
    const changes = changesOf(before, after);
    if (changes.length === 0) return succeed({ changes: [], reply: { value: memberView(queries, before) } });
    const entry = organisationEntry(request, principal, context, {
      ...{ action: 'member.edit', targetId: after.id, targetName: after.name, changes },
    });
    const withdrawn = before.role === after.role ? [] : withdrawLinksOfRole(queries, before, after.role);
    return succeed({
      changes: [...withdrawn, { kind: 'member', before, after }, entry],
      reply: { value: memberView(queries, after) },
    });
  },
});

function editedMember(
  queries: RecordQueries,
  before: Member,
  body: EditMemberBody,
): Outcome<Member, ConsoleProblem> {
  const problems = new ProblemList();
  const name = body.name === undefined ? before.name : readName(body.name, problems);
  const email = body.email?.trim() ?? before.email;
  if (!isEmailAddress(email)) problems.add(() => badEmail);
  else if (email !== before.email && hasMemberWithEmail(queries, before.organisationId, email, before.id))
    problems.add(() => takenEmail);
  if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
  return succeed({ ...before, name, email, role: body.role ?? before.role, revision: before.revision + 1 });
}

function refuseRole(queries: RecordQueries, actor: Role, before: Member, role: Role) {
  if (role === before.role) return null;
  if (!managesRole(actor, role)) {
    return refuse('not-permitted', 'Only an Owner can make somebody an Owner. Ask an Owner to do it.');
  }
  if (!isLastOwner(queries, before)) return null;
  return refuse('not-permitted', 'This member is the last Owner. Make another member an Owner first.');
}

function changesOf(before: Member, after: Member): readonly AuditChange[] {
  const fields = (['name', 'email', 'role'] as const).filter((field) => before[field] !== after[field]);
  return fields.map((field) => ({ field, before: before[field], after: after[field] }));
}
