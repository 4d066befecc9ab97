import { Type } from 'typebox';
import { environmentChangeSchema } from '../../contracts/console/project-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { findByNumber } from '../../domain/console/find-in-project.ts';
import { refuse } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addNameProblem, withEditedEnvironment } from '../../domain/project/environment-edit.ts';
import { optional } from '../body-parts.ts';
import { consoleWrite, inProject } from '../operation.ts';
import { changeEnvironment, refuseMoved } from './environment-change.ts';

/** A rename changes no flags, which refer to environments by number, and no tokens, which refer to them by name. */
export const editEnvironment = consoleWrite('edit-environment', {
  route: 'PATCH /projects/{projectId}/environments/{number}',
  access: inProject('admin'),
  // `revision` is the project's `environmentsRevision`, which may be 0.
  body: shape({
    revision: Type.Integer({ minimum: 0 }),
    name: optional(text),
    isProtected: optional(Type.Boolean()),
  }),
  answer: environmentChangeSchema,
  run: (queries, request, principal, context) => {
    const { project } = principal;
    const found = findByNumber(project, request.params['number']);
    if (!found.ok) return found;
    const environment = found.value;
    const { revision, ...settings } = request.body;
    const moved = refuseMoved(principal, revision);
    if (moved !== null) return moved;
    const { name = environment.name } = settings;
    const problems = new ProblemList();
    if (name !== environment.name) addNameProblem(project, environment.number, name, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const edited = withEditedEnvironment(project, environment, settings);
    return changeEnvironment(queries, request, principal, context, {
      action: 'environment.edit',
      nameBefore: environment.name,
      nameAfter: name,
      after: edited.project,
      changes: edited.changes,
    });
  },
});
