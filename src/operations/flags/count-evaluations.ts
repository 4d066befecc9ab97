import { evaluationCountsSchema } from '../../contracts/console/evaluation-views.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { type Project, soleEnvironment } from '../../domain/project/project.ts';
import { hourMs, hourOf, hoursShown } from '../../domain/usage/evaluation-count.ts';
import { consoleRead, inProject } from '../operation.ts';

const unknownFlag = 'This project has no flag with this id.';

/** How often a flag was on and off in the last 24 hours, with the present one, by environment. */
export const countEvaluations = consoleRead('count-evaluations', {
  route: 'GET /projects/{projectId}/flags/{flagId}/evaluations',
  access: inProject('viewer'),
  answer: evaluationCountsSchema,
  run: (queries, request, { project }, { now }) => {
    const flagId = request.params['flagId'] ?? '';
    if (queries.flag(flagId)?.projectId !== project.id) return refuse('not-found', unknownFlag);
    const last = hourOf(now);
    const hours = Array.from({ length: hoursShown }, (_, index) => last - (hoursShown - 1 - index) * hourMs);
    const counts = hours.map((hour) => queries.evaluationCounts(flagId, hour));
    const series = numbersOf(project).map((environmentNumber) => {
      const ofHours = counts.map((hour) =>
        hour.find((count) => count.environmentNumber === environmentNumber),
      );
      return {
        environmentNumber,
        on: ofHours.map((count) => count?.on ?? 0),
        off: ofHours.map((count) => count?.off ?? 0),
      };
    });
    return succeed({ value: { hours, series } });
  },
});

function numbersOf({ isMultiEnvironment, environments }: Project): readonly number[] {
  return isMultiEnvironment ? environments.map(({ number }) => number) : [soleEnvironment];
}
