import { Type } from 'typebox';
import { environmentChangeSchema } from '../../contracts/console/project-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { findByNumber } from '../../domain/console/find-in-project.ts';
import { refuse } from '../../domain/outcome.ts';
import { withoutEnvironment } from '../../domain/project/environment-edit.ts';
import { consoleWrite, inProject } from '../operation.ts';
import { refuseTyped } from '../refuse-typed.ts';
import { changeEnvironment, refuseMoved } from './environment-change.ts';

/** From then on, an evaluation there is a 404. Each flag drops its state for the environment when it is next edited. */
export const deleteEnvironment = consoleWrite('delete-environment', {
  route: 'DELETE /projects/{projectId}/environments/{number}',
  access: inProject('admin'),
  // `name` is the environment's name, typed to confirm: it must be the stored one.
  body: shape({ revision: Type.Integer({ minimum: 0 }), name: text }),
  answer: environmentChangeSchema,
  run: (queries, request, principal, context) => {
    const { project } = principal;
    const found = findByNumber(project, request.params['number']);
    if (!found.ok) return found;
    const { number, name, isProtected } = found.value;
    const moved = refuseMoved(principal, request.body.revision);
    if (moved !== null) return moved;
    if (isProtected) return refuse('protected', `${name} is protected. Stop protecting it, then delete it.`);
    const refused = refuseTyped(request.body.name, name);
    if (refused !== null) return refused;
    return changeEnvironment(queries, request, principal, context, {
      action: 'environment.delete',
      nameBefore: name,
      nameAfter: null,
      after: withoutEnvironment(project, number),
      changes: Object.entries({ name, isProtected }).map(([field, before]) => ({
        field,
        before,
        after: null,
      })),
    });
  },
});
