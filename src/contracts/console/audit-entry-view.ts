import type { ChainedEntry } from '../../domain/audit/audit-entry.ts';
import { shownChanges } from '../../domain/audit/shown-changes.ts';
import type { AuditEntryView } from './views/audit-views.ts';

/**
 * An entry as the console shows it. A null is a pause in which others are served: the entry may be megabytes.
 * @param projectName what its project is called today; null when it concerns none
 */
export function* auditEntryView(
  { entry, changesText }: ChainedEntry,
  projectName: string | null,
): Generator<null, AuditEntryView> {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId } = entry;
  const changes = yield* shownChanges(changesText);
  const target = { targetId, targetName, environment, changes };
  return { id, at, actor: { ...actor }, action, projectId, projectName, ...target, requestId };
}
