import {
  type AudienceView,
  audienceView,
  audienceViewSchema,
} from '../../contracts/console/audience-views.ts';
import { AudienceUseList } from '../../domain/audience/audience-uses.ts';
import { findAudience } from '../../domain/console/find-in-project.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { slowReply } from '../list-reply.ts';
import { consoleRead, inProject } from '../operation.ts';

export const readAudience = consoleRead('read-audience', {
  route: 'GET /projects/{projectId}/audiences/{audienceId}',
  access: inProject('viewer'),
  answer: audienceViewSchema,
  run: (queries, { params }, { project }) => {
    const found = findAudience(queries, project, params['audienceId']);
    return found.ok ? slowReply(view(queries, project, found.value)) : found;
  },
});

function* view(queries: RecordQueries, project: Project, audience: Audience): Generator<AudienceView | null> {
  const uses = new AudienceUseList(project);
  for (const found of queries.foundFlagsOf(project.id)) {
    uses.add(found.read());
    yield null;
  }
  yield audienceView(audience, uses.usesOf(audience.id));
}
