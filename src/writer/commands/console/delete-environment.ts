import type { DeleteEnvironmentBody } from '../../../contracts/console/console-bodies.ts';
import type { ProjectCommand } from '../../../contracts/console/console-handler.ts';
import { findByNumber } from '../../../domain/console/find-in-project.ts';
import { withoutEnvironment } from '../../../domain/project/environment-edit.ts';
import { changeEnvironment, refuseMoved } from './environment-change.ts';
import { refuseTyped } from './refuse-typed.ts';

/** Evaluating there is a 404 from now on. Flags drop what they hold for it when they are edited next. */
export const deleteEnvironment: ProjectCommand<DeleteEnvironmentBody> = (
  queries,
  request,
  principal,
  context,
) => {
  const { project } = principal;
  const found = findByNumber(project, request.params['number']);
  if (!found.ok) return found;
  const { number, name, isProtected } = found.value;
  const refused = refuseMoved(principal, request.body.revision) ?? refuseTyped(request.body.name, name);
  if (refused !== null) return refused;
  return changeEnvironment(queries, request, principal, context, {
    action: 'environment.delete',
    nameBefore: name,
    nameAfter: null,
    after: withoutEnvironment(project, number),
    changes: Object.entries({ name, isProtected }).map(([field, before]) => ({ field, before, after: null })),
  });
};
