import { projectView, projectViewSchema } from '../../contracts/console/project-views.ts';
import { allow } from '../../domain/console/console-problem.ts';
import { consoleRead, inProject } from '../operation.ts';

export const readProject = consoleRead('read-project', {
  route: 'GET /projects/{projectId}',
  access: inProject('viewer'),
  answer: projectViewSchema,
  run: (_queries, _request, { project, role }) => allow({ value: projectView(project, role) }),
});
