import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import type { AuditSearch } from '../../app/searches.ts';
import { addressOf } from '../../client/address-of.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { AuditEntries } from './audit-entries.tsx';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditQuery } from './audit-pages.ts';

const dayMs = 86_400_000;

/** The beginning of a day as Unix milliseconds: in the zone of the address, or the reader's if it has none. */
function startOf(day: string | undefined, laterMs = 0): string | undefined {
  if (day === undefined) return undefined;
  const at = new Date(day.includes('T') ? day : `${day}T00:00`).getTime();
  return Number.isNaN(at) ? undefined : String(at + laterMs);
}

function filterOf({ from, to, ...search }: AuditSearch): AuditQuery {
  const { project, actor, flag, environment, action } = search;
  const chosen = { project, actor, flag, environment, action, from: startOf(from), to: startOf(to, dayMs) };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}

interface ExportsProps {
  readonly filter: AuditQuery;
  /** Null for the organisation's log. */
  readonly projectId: string | null;
}

function Exports({ filter, projectId }: ExportsProps) {
  const address = (format: string) =>
    projectId === null
      ? addressOf('export-audit', {}, { ...filter, format })
      : addressOf('export-project-audit', { projectId }, { ...filter, format });
  return (
    <Group gap="xs">
      <Button component="a" variant="default" href={address('csv')} download="audit.csv">
        Export CSV
      </Button>
      <Button component="a" variant="default" href={address('ndjson')} download="audit.ndjson">
        Export NDJSON
      </Button>
    </Group>
  );
}

interface AuditLogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Null on the organisation's own page. */
  readonly project: ProjectView | null;
  readonly search: AuditSearch;
  readonly onSearch: (search: AuditSearch) => void;
}

/** The entries, with filters and exports. */
function AuditLog({ title, children, project, search, onSearch }: AuditLogProps) {
  const isWhole = project === null || search.scope === 'organisation';
  const filter = filterOf(isWhole ? search : { ...search, project: undefined });
  const projectId = isWhole ? null : project.id;
  return (
    <>
      <PageHead title={title} actions={<Exports filter={filter} projectId={projectId} />}>
        {children}
      </PageHead>
      <AuditFilters project={project} search={search} filter={filter} onChange={onSearch} />
      <AuditEntries projectId={projectId} filter={filter} />
    </>
  );
}

const projectRoute = getRouteApi('/shell/projects/$projectId/audit');
const organisationRoute = getRouteApi('/shell/audit');

/** The audit log of a project, with a link to the organisation's. */
export function AuditScreen() {
  const search = projectRoute.useSearch();
  const navigate = projectRoute.useNavigate();
  const project = useProject();
  return (
    <AuditLog
      title="Audit log"
      project={project}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    >
      Who changed what, and when.
    </AuditLog>
  );
}

/** The audit log of the organisation, which exists before its first project does. */
export function OrganisationAuditScreen() {
  const search = organisationRoute.useSearch();
  const navigate = organisationRoute.useNavigate();
  const { organisation } = useSession();
  if (organisation === null) {
    return (
      <>
        <PageHead title="Organisation log" />
        <PageEmpty title="You belong to no organisation">
          The audit logs of your projects have your changes.
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
      Who changed what in <SafeName name={organisation.name} /> and its projects, and when.
    </AuditLog>
  );
}
