import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { projectView } from '../../../contracts/console/project-view.ts';
import { allow } from '../../../domain/console/console-problem.ts';

export const readProject: ProjectRead = (_queries, _request, { project, role }) =>
  allow({ value: projectView(project, role) });
