import { consoleFlagView } from '../../contracts/console/flag-views.ts';
import { revision, shape, text } from '../../contracts/console/view-parts.ts';
import { refuseConflict } from '../../domain/console/console-problem.ts';
import { findConsoleFlag } from '../../domain/console/find-in-project.ts';
import { deletionChanges } from '../../domain/flag/flag-creation.ts';
import { succeed } from '../../domain/outcome.ts';
import { projectEntry } from '../audit-entries.ts';
import { consoleWrite, inProject } from '../operation.ts';
import { refuseTyped } from '../refuse-typed.ts';

/** From then on, an evaluation of the flag is a 404. */
export const deleteFlag = consoleWrite('delete-flag', {
  route: 'DELETE /projects/{projectId}/flags/{flagId}',
  access: inProject('editor'),
  body: shape({ revision, name: text }),
  run: (queries, request, principal, context) => {
    const { project } = principal;
    const found = findConsoleFlag(queries, project, request.params['flagId']);
    if (!found.ok) return found;
    const before = found.value;
    const { revision, name } = request.body;
    if (revision !== before.revision) return refuseConflict('flag', consoleFlagView(before, project));
    const refused = refuseTyped(name, before.name);
    if (refused !== null) return refused;
    const target = { targetId: before.id, targetName: before.name };
    const changes = deletionChanges(before, project);
    return succeed({
      changes: [
        { kind: 'flag', before, after: null, environment: null },
        projectEntry({ action: 'flag.delete', ...target, changes }, principal, request, context),
      ],
      reply: {},
    });
  },
});
