import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import type { AuditSearch } from '../../app/searches.ts';
import { addressOf } from '../../client/address-of.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { AuditEntries } from './audit-entries.tsx';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditFilter } from './audit-pages.ts';

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

interface ExportsProps {
  readonly filter: AuditFilter;
  /** Null for the organisation's. */
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
  readonly search: Partial<AuditSearch>;
  readonly onSearch: (search: Partial<AuditSearch>) => void;
}

/** What was recorded, with its filters and its exports. */
export function AuditLog({ title, children, project, search, onSearch }: AuditLogProps) {
  const filter = filterOf(search);
  const projectId = search.scope === 'organisation' ? null : (project?.id ?? null);
  return (
    <>
      <PageHeader title={title} actions={<Exports filter={filter} projectId={projectId} />}>
        {children}
      </PageHeader>
      <AuditFilters project={project} search={search} filter={filter} onChange={onSearch} />
      <AuditEntries projectId={projectId} filter={filter} />
    </>
  );
}
