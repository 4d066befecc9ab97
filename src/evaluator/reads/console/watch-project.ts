import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { projectChanges } from '../../../domain/audit/project-changes.ts';
import { allow } from '../../../domain/console/console-problem.ts';

/** What the gateway asks again and again for somebody who watches: without `since`, where to begin and in whose project. */
export const watchProject: ProjectRead = (queries, { query }, { project }) => {
  const since = query['since'];
  if (since !== undefined) return allow({ value: projectChanges(queries, project, Number(since)) });
  const { organisationId } = project;
  const sequence = queries.newestAuditSequence(organisationId ?? project.id);
  return allow({ value: { organisationId, sequence, flags: [], project: false, other: false } });
};
