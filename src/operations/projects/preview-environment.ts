import { environmentImpactSchema, environmentImpactView } from '../../contracts/console/project-views.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { findByNumber } from '../../domain/console/find-in-project.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addNameProblem } from '../../domain/project/environment-edit.ts';
import { impactOfName } from '../../domain/project/environment-impact.ts';
import type { Project } from '../../domain/project/project.ts';
import { consoleRead, inProject, type Shown } from '../operation.ts';

/**
 * The effects on tokens: of a rename to `name`; without a name, of a deletion; with the number `new`, of a creation. A
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
    return succeed({ value: environmentImpactView(impact) });
  },
});

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
