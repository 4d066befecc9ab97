import { consoleFlagView, flagViewSchema } from '../../contracts/console/flag-views.ts';
import { findConsoleFlag } from '../../domain/console/find-in-project.ts';
import { succeed } from '../../domain/outcome.ts';
import { consoleRead, inProject } from '../operation.ts';

export const readConsoleFlag = consoleRead('read-console-flag', {
  route: 'GET /projects/{projectId}/flags/{flagId}',
  access: inProject('viewer'),
  answer: flagViewSchema,
  run: (queries, { params }, { project }) => {
    const found = findConsoleFlag(queries, project, params['flagId'] ?? '');
    return found.ok ? succeed({ value: consoleFlagView(found.value, project) }) : found;
  },
});
