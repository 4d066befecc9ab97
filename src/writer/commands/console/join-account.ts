import type { PublicContext, PublicRequest } from '../../../contracts/console/public-handler.ts';
import type { BeginOpenIdSession } from '../../../contracts/console/step-bodies.ts';
import type { AuditChange } from '../../../domain/audit/audit-entry.ts';
import type { Member } from '../../../domain/member/member.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { joinIdentity } from '../../../domain/session/join-identity.ts';
import { ownEntry } from './member-entry.ts';

/** Joins the account at the provider to a member; the audit log says so. */
export function joinAccount(
  queries: RecordQueries,
  member: Member,
  request: PublicRequest<BeginOpenIdSession>,
  context: PublicContext,
): readonly RecordChange[] {
  const { issuer, subject } = request.body;
  const identity = { issuer, subject, memberId: member.id, createdAt: context.now };
  const change: AuditChange = { field: 'openIdAccount', before: null, after: `${subject} at ${issuer}` };
  return [...joinIdentity(queries, identity), ownEntry(member, 'member.edit', [change], request, context)];
}
