import { type FlagRow, flagRow, flagRowSchema } from '../../contracts/console/flag-views.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { listOf } from '../body-parts.ts';
import { inSteps, listReply } from '../list-reply.ts';
import { consoleRead, inProject } from '../operation.ts';

/** Every flag of the project by name, then id. Rows are read while the answer is sent. */
export const listConsoleFlags = consoleRead('list-console-flags', {
  route: 'GET /projects/{projectId}/flags',
  access: inProject('viewer'),
  answer: listOf('flags', flagRowSchema),
  run: (queries, _request, { project }) => listReply('flags', rows(queries, project)),
});

function* rows(queries: RecordQueries, project: Project): Generator<FlagRow | null> {
  for (const found of queries.foundFlagsOf(project.id)) {
    const flag = yield* inSteps(found);
    yield flagRow(flag, project, ({ count }) => count);
  }
}
