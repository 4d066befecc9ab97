import {
  type AudienceView,
  audienceView,
  audienceViewSchema,
} from '../../contracts/console/audience-views.ts';
import { AudienceUseList } from '../../domain/audience/audience-uses.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { listOf } from '../body-parts.ts';
import { byName, listReply } from '../list-reply.ts';
import { consoleRead, inProject } from '../operation.ts';

/** Every audience of the project by name, with the flags that apply it: all flags are read once for that. */
export const listAudiences = consoleRead('list-audiences', {
  route: 'GET /projects/{projectId}/audiences',
  inPieces: true,
  access: inProject('viewer'),
  answer: listOf('audiences', audienceViewSchema),
  run: (queries, _request, { project }) => listReply('audiences', views(queries, project)),
});

function* views(queries: RecordQueries, project: Project): Generator<AudienceView | null> {
  const uses = new AudienceUseList(project);
  for (const flag of queries.flagsOf(project.id)) {
    uses.add(flag);
    yield null;
  }
  for (const { id } of byName([...queries.audienceNamesOf(project.id)])) {
    const audience = queries.audience(id);
    if (audience !== undefined) yield audienceView(audience, uses.usesOf(id));
  }
}
