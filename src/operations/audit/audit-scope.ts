import { type AuditFilter, readAuditFilter } from '../../domain/audit/audit-filter.ts';
import type { ProjectPrincipal } from '../../domain/console/console-principal.ts';
import type { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ConsoleRequest } from '../operation.ts';

/** The query parameters of an audit log. */
export const auditQuery = ['actor', 'flag', 'environment', 'action', 'from', 'to', 'project'] as const;

/** The ledger, and the entries in it, that a request may see and asks for. */
export interface AuditScope {
  readonly ledgerId: string;
  readonly filter: AuditFilter;
}

/** The whole ledger of the organisation. */
export function organisationAudit(
  { query }: ConsoleRequest,
  organisationId: string,
  problems: ProblemList,
): AuditScope {
  return { ledgerId: organisationId, filter: readAuditFilter(query, problems) };
}

/** A project's entries in its organisation's ledger, or a personal project's own ledger. */
export function projectAudit(
  { query }: ConsoleRequest,
  { project }: ProjectPrincipal,
  problems: ProblemList,
): AuditScope {
  const filter = readAuditFilter(query, problems);
  if (filter.projectId !== null && filter.projectId !== project.id) {
    problems.add(() => 'project must be the project in the path, or be left out');
  }
  if (project.organisationId === null)
    return { ledgerId: project.id, filter: { ...filter, projectId: null } };
  return { ledgerId: project.organisationId, filter: { ...filter, projectId: project.id } };
}

/**
 * @returns a function that finds a project's present name, with one look-up for each project; null for no project and
 * for a deleted one.
 */
export function projectNames(queries: RecordQueries): (projectId: string | null) => string | null {
  const known = new Map<string, string | null>();
  return (projectId) => {
    if (projectId === null) return null;
    const found = known.get(projectId);
    if (found !== undefined) return found;
    const name = queries.project(projectId)?.name ?? null;
    known.set(projectId, name);
    return name;
  };
}
