import type { ConsoleContext, ConsoleRequest } from '../../../contracts/console/console-handler.ts';
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts';
import type { ProjectPrincipal } from '../../../domain/console/console-principal.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import { ledgerOf } from '../../provision/provision-scope.ts';

/** What an audit entry about something in a project still has to say. */
type ProjectEntry = Pick<AuditEntry, 'action' | 'targetId' | 'targetName' | 'changes'> & {
  readonly environment?: string | null;
};

/** @returns the audit entry of a member's change in a project, in the ledger of the project's organisation or its own. */
export function projectEntry(
  entry: ProjectEntry,
  { project, member }: Pick<ProjectPrincipal, 'project' | 'member'>,
  { requestId }: Pick<ConsoleRequest, 'requestId'>,
  context: ConsoleContext,
): Extract<RecordChange, { kind: 'audit' }> {
  const { environment = null, ...rest } = entry;
  const actor = { kind: 'member', id: member.id, name: member.name } as const;
  const where = { ledgerId: ledgerOf(project), projectId: project.id, environment };
  return {
    kind: 'audit',
    entry: { ...rest, ...where, id: context.newId(), at: context.now, actor, requestId },
  };
}
