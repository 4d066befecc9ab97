import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import { projectView } from '../../../contracts/console/project-view.ts';
import type { ProjectView } from '../../../contracts/console/views/project-views.ts';
import { roleIn } from '../../../domain/console/project-role.ts';
import type { Member } from '../../../domain/member/member.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { byName } from './by-name.ts';
import { listReply } from './list-reply.ts';

/** The organisation's projects and the member's own personal ones, by name. */
export const listProjects: ConsoleRead = (queries, _request, { member }) =>
  listReply('projects', visibleProjects(queries, member));

function* visibleProjects(queries: RecordQueries, member: Member): Generator<ProjectView | null> {
  const views: ProjectView[] = [];
  for (const project of queries.projects()) {
    const role = roleIn(project, member);
    if (role !== null) views.push(projectView(project, role));
    yield null;
  }
  yield* byName(views);
}
