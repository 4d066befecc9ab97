import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditSearch } from '../../app/searches.ts';
import { addressOf } from '../../client/address-of.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useAudienceName } from '../flag/use-audience-names.ts';
import { AuditEntries } from './audit-entries.tsx';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditFilter } from './audit-pages.ts';

const route = getRouteApi('/shell/projects/$projectId/audit');
const dayMs = 86_400_000;

/** The beginning of a day in the reader's time zone, as Unix milliseconds. */
function startOf(day: string | undefined, laterMs = 0): string | undefined {
  if (day === undefined) return undefined;
  const at = new Date(`${day}T00:00:00`).getTime();
  return Number.isNaN(at) ? undefined : String(at + laterMs);
}

function filterOf({ actor, flag, environment, action, from, to }: Partial<AuditSearch>): AuditFilter {
  const chosen = { actor, flag, environment, action, from: startOf(from), to: startOf(to, dayMs) };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}

function Exports({ filter, isOfOrganisation }: { filter: AuditFilter; isOfOrganisation: boolean }) {
  const { id: projectId } = useProject();
  const address = (format: string) =>
    isOfOrganisation
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

export function AuditScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const audienceName = useAudienceName();
  const filter = filterOf(search);
  const isOfOrganisation = search.scope === 'organisation';
  return (
    <>
      <PageHeader title="Audit log" actions={<Exports filter={filter} isOfOrganisation={isOfOrganisation} />}>
        Every change, by whom, with before and after.
      </PageHeader>
      <AuditFilters search={search} onChange={(next) => void navigate({ search: next, replace: true })} />
      <AuditEntries filter={filter} isOfOrganisation={isOfOrganisation} audienceName={audienceName} />
    </>
  );
}
