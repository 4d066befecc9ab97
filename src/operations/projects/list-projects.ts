import { type ProjectView, projectView, projectViewSchema } from '../../contracts/console/project-views.ts';
import { roleIn } from '../../domain/console/console-principal.ts';
import type { Member } from '../../domain/member/member.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { listOf } from '../body-parts.ts';
import { byName, listReply } from '../list-reply.ts';
import { consoleRead, signedIn } from '../operation.ts';

/** The organisation's projects and the member's own personal ones, by name. */
export const listProjects = consoleRead('list-projects', {
  route: 'GET /projects',
  inPieces: true,
  access: signedIn,
  answer: listOf('projects', projectViewSchema),
  run: (queries, _request, { member }) => listReply('projects', visibleProjects(queries, member)),
});

function* visibleProjects(queries: RecordQueries, member: Member): Generator<ProjectView | null> {
  const views: ProjectView[] = [];
  for (const project of queries.projects()) {
    const role = roleIn(project, member);
    if (role !== null) views.push({ ...projectView(project, role), ...activityOf(queries, project) });
    yield null;
  }
  yield* byName(views);
}

/** From the counts of the project and the newest change in its log: no flag is read. An export changes nothing. */
function activityOf(queries: RecordQueries, { id, organisationId }: Project) {
  let changedAt: number | null = null;
  for (const { entry } of queries.auditHeadsOf(organisationId ?? id, { subjectId: id })) {
    if (entry.action === 'audit.export') continue;
    changedAt = entry.at;
    break;
  }
  return { flagCount: queries.projectRecords(id).flags, changedAt };
}
