import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { AuditEntries } from '../audit/audit-entries.tsx';

/** What happened to this flag: its part of the audit log. */
export function HistoryTab({ flag }: { readonly flag: ConsoleFlagView }) {
  return <AuditEntries projectId={flag.projectId} filter={{ flag: flag.id }} isOfOneThing />;
}
