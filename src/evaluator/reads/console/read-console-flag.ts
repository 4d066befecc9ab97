import { consoleFlagView } from '../../../contracts/console/console-flag-view.ts';
import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import { findConsoleFlag } from '../../../domain/console/find-in-project.ts';

export const readConsoleFlag: ProjectRead = (queries, { params }, { project }) => {
  const found = findConsoleFlag(queries, project, params['flagId']);
  return found.ok ? allow({ value: consoleFlagView(found.value, project) }) : found;
};
