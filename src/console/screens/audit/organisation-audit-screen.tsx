import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { useSession } from '../../shell/use-session.ts';
import { AuditLog } from './audit-log.tsx';

const route = getRouteApi('/shell/audit');

/** The audit log of the organisation, which is there before its first project is. */
export function OrganisationAuditScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { organisation } = useSession();
  if (organisation === null) {
    return (
      <>
        <PageHeader title="Organisation log" />
        <PageEmpty title="You belong to no organisation">
          What you do is in the audit log of your projects.
        </PageEmpty>
      </>
    );
  }
  return (
    <AuditLog
      title="Organisation log"
      project={null}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    >
      Every change in {organisation.name} and in its projects, by whom, with before and after.
    </AuditLog>
  );
}
