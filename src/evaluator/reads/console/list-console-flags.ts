import { flagRow } from '../../../contracts/console/console-flag-view.ts';
import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import type { FlagRow } from '../../../contracts/console/views/flag-views.ts';
import type { Project } from '../../../domain/project/project.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { inSteps, listReply } from './list-reply.ts';

/** Every flag of the project by name, then id. Rows are read while the answer is sent. */
export const listConsoleFlags: ProjectRead = (queries, _request, { project }) =>
  listReply('flags', rows(queries, project));

function* rows(queries: RecordQueries, project: Project): Generator<FlagRow | null> {
  for (const found of queries.foundFlagsOf(project.id)) {
    const flag = yield* inSteps(found);
    yield flagRow(flag, project, ({ count }) => count);
  }
}
