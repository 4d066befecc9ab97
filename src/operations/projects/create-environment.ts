import { Type } from 'typebox';
import { environmentChangeSchema } from '../../contracts/console/project-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { refuse } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addCountProblem, addNameProblem, withEnvironment } from '../../domain/project/environment-edit.ts';
import { addEnvironmentBoundProblems } from '../../domain/record-bounds.ts';
import { optional } from '../body-parts.ts';
import { consoleWrite, inProject } from '../operation.ts';
import { changeEnvironment } from './environment-change.ts';

/** All flags are off in a new environment. Tokens that already list its name begin to work for it. */
export const createEnvironment = consoleWrite('create-environment', {
  route: 'POST /projects/{projectId}/environments',
  access: inProject('admin'),
  body: shape({ name: text, isProtected: optional(Type.Boolean()) }),
  answer: environmentChangeSchema,
  run: (queries, request, principal, context) => {
    const { project } = principal;
    const { name, isProtected = false } = request.body;
    const problems = new ProblemList();
    if (!project.isMultiEnvironment) problems.add(() => staysSingle);
    addNameProblem(project, null, name, problems);
    addCountProblem(project.environments.length + 1, problems);
    const after = withEnvironment(project, name, isProtected);
    if (problems.isEmpty) addEnvironmentBoundProblems(queries, after, 'name', problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return changeEnvironment(queries, request, principal, context, {
      action: 'environment.create',
      nameBefore: null,
      nameAfter: name,
      after,
      changes: Object.entries({ name, isProtected }).map(([field, value]) => ({
        field,
        before: null,
        after: value,
      })),
    });
  },
});

const staysSingle = 'this project has a single environment, and that cannot change: create another project';
