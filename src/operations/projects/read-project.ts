import { projectView, projectViewSchema } from '../../contracts/console/project-views.ts';
import { succeed } from '../../domain/outcome.ts';
import { consoleRead, inProject } from '../operation.ts';

export const readProject = consoleRead('read-project', {
  route: 'GET /projects/{projectId}',
  access: inProject('viewer'),
  answer: projectViewSchema,
  run: (_queries, _request, { project, role }) => succeed({ value: projectView(project, role) }),
});
