import type { ConsoleContext, ConsoleRequest } from '../../../contracts/console/console-handler.ts';
import type { AuditChange, AuditEntry } from '../../../domain/audit/audit-entry.ts';
import type { Member } from '../../../domain/member/member.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { OneTimeLink } from '../../../domain/session/one-time-link.ts';

/** Says that a password was set, and nothing about it. */
export const passwordChange: AuditChange = { field: 'password', before: null, after: 'set' };

/** Which sign-in link was followed, who had made it, and from where it was followed. */
export function followedLink({ id, createdBy }: OneTimeLink, address: string): readonly AuditChange[] {
  const fields = Object.entries({ linkId: id, linkMadeBy: createdBy ?? 'operator', address });
  return fields.map(([field, after]) => ({ field, before: null, after }));
}

/** @returns what the audit log says of what a member does to itself. */
export function ownEntry(
  { id, name, organisationId }: Member,
  action: AuditEntry['action'],
  changes: readonly AuditChange[],
  { requestId }: ConsoleRequest,
  { now, newId }: ConsoleContext,
): RecordChange {
  const actor = { kind: 'member', id, name } as const;
  // A person without an organisation has a chain of their own, as in the operator's provisioning.
  const where = { ledgerId: organisationId ?? id, projectId: null, environment: null };
  const what = { action, targetId: id, targetName: name, changes };
  return { kind: 'audit', entry: { id: newId(), at: now, actor, requestId, ...where, ...what } };
}
