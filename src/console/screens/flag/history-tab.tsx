import type { ConsoleFlagView } from '../../../contracts/console/console-views.ts';
import { AuditEntries } from '../audit/audit-entries.tsx';
import { useAudienceName } from './use-audience-names.ts';

/** What happened to this flag: its part of the audit log. */
export function HistoryTab({ flag }: { readonly flag: ConsoleFlagView }) {
  const audienceName = useAudienceName();
  return <AuditEntries filter={{ flag: flag.id }} isOfOneThing audienceName={audienceName} />;
}
