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
import type { Steps } from '../../support/steps.ts';
import { slowReply } from '../list-reply.ts';
import { consoleRead, inProject } from '../operation.ts';

export const readAudience = consoleRead('read-audience', {
  route: 'GET /projects/{projectId}/audiences/{audienceId}',
  inPieces: true,
  access: inProject('viewer'),
  answer: audienceViewSchema,
  run: (queries, { params }, { project }) => {
    const found = findAudience(queries, project, params['audienceId']);
    return found.ok ? slowReply(view(queries, project, found.value)) : found;
  },
});

function* view(queries: RecordQueries, project: Project, audience: Audience): Steps<AudienceView> {
  const uses = new AudienceUseList(project);
  for (const flag of queries.flagsOf(project.id)) {
    uses.add(flag);
    yield;
  }
  return audienceView(audience, uses.usesOf(audience.id));
}
