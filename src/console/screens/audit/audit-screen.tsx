import { getRouteApi } from '@tanstack/react-router';
import { useProject } from '../../shell/project-context.ts';
import { AuditLog } from './audit-log.tsx';

const route = getRouteApi('/shell/projects/$projectId/audit');

/** The audit log of a project, and from there the organisation's. */
export function AuditScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  return (
    <AuditLog
      title="Audit log"
      project={project}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    >
      Every change, by whom, with before and after.
    </AuditLog>
  );
}
