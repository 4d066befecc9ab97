import type { AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { AuditEntryView } from './console-views.ts';

/** An entry as the console shows it. @param projectName what its project is called today; null when it concerns none */
export function auditEntryView(entry: AuditEntry, projectName: string | null): AuditEntryView {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId } = entry;
  const changes = [...entry.changes];
  const target = { targetId, targetName, environment, changes };
  return { id, at, actor: { ...actor }, action, projectId, projectName, ...target, requestId };
}
