import { consoleFlagView, flagViewOf, flagViewSchema } from '../../contracts/console/flag-views.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { findConsoleFlag, refuseAbsentFlag } from '../../domain/console/find-in-project.ts';
import { type Outcome, succeed } from '../../domain/outcome.ts';
import type { Project } from '../../domain/project/project.ts';
import type { FoundFlag } from '../../domain/record-queries.ts';
import { jsonPieces } from '../../support/packed-json.ts';
import type { Steps } from '../../support/steps.ts';
import { consoleRead, inProject, type Shown } from '../operation.ts';
import { isShownInSteps } from './flag-pieces.ts';

/** A flag with long lists is read and shown in steps. */
export const readConsoleFlag = consoleRead('read-console-flag', {
  route: 'GET /projects/{projectId}/flags/{flagId}',
  access: inProject('viewer'),
  answer: flagViewSchema,
  run: (queries, { params }, { project }) => {
    const id = params['flagId'] ?? '';
    const long = queries.foundFlag(id);
    if (long !== undefined && isShownInSteps(long, 1)) return succeed({ later: readLong(long, project) });
    const found = findConsoleFlag(queries, project, id);
    return found.ok ? succeed({ value: consoleFlagView(found.value, project) }) : found;
  },
});

function* readLong(found: FoundFlag, project: Project): Steps<Outcome<Shown, ConsoleProblem>> {
  const flag = yield* found.readInSteps();
  if (flag?.projectId !== project.id) return refuseAbsentFlag();
  const text = jsonPieces(flagViewOf(flag, project));
  return succeed({ pieces: { contentType: 'application/json', text } });
}
