import { environmentImpactSchema, environmentImpactView } from '../../contracts/console/project-views.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { findByNumber } from '../../domain/console/find-in-project.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addNameProblem } from '../../domain/project/environment-edit.ts';
import { impactOfName } from '../../domain/project/environment-impact.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { hourMs, hourOf, hoursShown } from '../../domain/usage/evaluation-count.ts';
import { consoleRead, inProject, type Shown } from '../operation.ts';

/**
 * What a deletion would end; the effects on tokens: of a rename to `name`; without a name, of a deletion; with the number `new`, of a creation. A
 * name that the change would refuse is refused.
 */
export const previewEnvironment = consoleRead('preview-environment', {
  route: 'GET /projects/{projectId}/environments/{number}/impact',
  access: inProject('admin'),
  query: ['name'],
  answer: environmentImpactSchema,
  run: (queries, { params, query }, { project }, context) => {
    const next = query['name'] ?? null;
    const found = params['number'] === 'new' ? succeed(null) : findByNumber(project, params['number']);
    if (!found.ok) return found;
    const environment = found.value;
    const refused = refuseName(project, environment?.number ?? null, next);
    if (refused !== null) return refused;
    const tokens = queries.tokensOf(project.id);
    const impact = impactOfName(tokens, environment?.name ?? null, next, context.now);
    const value = environmentImpactView(impact);
    if (environment === null || next !== null) return succeed({ value });
    return succeed({
      value: { ...value, evaluations: countIn(queries, project, environment.number, context.now) },
    });
  },
});

/** This many counts are read at most, the newest hours first: the request must not keep others waiting. */
const countsReadMax = 20_000;

/** Evaluations of all flags in an environment in the last 24 hours. */
function countIn(queries: RecordQueries, { id }: Project, number: number, now: number) {
  const flagIds = Array.from(queries.flagPlacesOf(id), (place) => place.id);
  const hours = Math.min(hoursShown, Math.floor(countsReadMax / Math.max(1, flagIds.length)));
  let count = 0;
  for (let ago = 0; ago < hours; ago += 1) {
    for (const flagId of flagIds) {
      const found = queries.evaluationCounts(flagId, hourOf(now) - ago * hourMs);
      const here = found.find(({ environmentNumber }) => environmentNumber === number);
      count += (here?.on ?? 0) + (here?.off ?? 0);
    }
  }
  return { count, isAtLeast: hours < hoursShown };
}

/** @param number null for a new environment. @param name null for a deletion. */
function refuseName(
  project: Project,
  number: number | null,
  name: string | null,
): Outcome<Shown, ConsoleProblem> | null {
  const problems = new ProblemList();
  if (name !== null) addNameProblem(project, number, name, problems);
  else if (number === null)
    problems.add(() => 'add the query parameter "name" with the name of the new environment');
  return problems.isEmpty ? null : refuse('invalid-request', problems.detail());
}
