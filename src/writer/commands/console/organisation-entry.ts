import type { ConsoleContext, ConsoleRequest } from '../../../contracts/console/console-handler.ts';
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts';
import type { ConsolePrincipal } from '../../../domain/console/console-principal.ts';
import { ownOrganisation } from '../../../domain/console/own-organisation.ts';
import type { RecordChange } from '../../../domain/record-change.ts';

type OrganisationEntry = Pick<AuditEntry, 'action' | 'targetId' | 'targetName' | 'changes'>;

/** @returns what the audit log says of a change that a member makes to the organisation, not to one of its projects. */
export function organisationEntry(
  { requestId }: ConsoleRequest,
  principal: ConsolePrincipal,
  { now, newId }: ConsoleContext,
  entry: OrganisationEntry,
): RecordChange {
  const { id, name } = principal.member;
  const actor = { kind: 'member', id, name } as const;
  const where = { ledgerId: ownOrganisation(principal).id, projectId: null, environment: null };
  return { kind: 'audit', entry: { id: newId(), at: now, actor, requestId, ...where, ...entry } };
}
