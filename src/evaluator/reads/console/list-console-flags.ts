import { flagRow } from '../../../contracts/console/console-flag-view.ts';
import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import type { FlagRow } from '../../../contracts/console/views/flag-views.ts';
import type { Project } from '../../../domain/project/project.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { listReply } from './list-reply.ts';

/** Every flag of the project by name, then id. Rows are read while the answer is sent. */
export const listConsoleFlags: ProjectRead = (queries, _request, { project }) =>
  listReply('flags', rows(queries, project));

function* rows(queries: RecordQueries, project: Project): Generator<FlagRow> {
  for (const flag of queries.flagsOf(project.id)) yield flagRow(flag, project);
}
