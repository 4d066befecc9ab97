import { conversation, inProject, readStep } from '../operation.ts';
import { readWatch, watchChanges } from './watch-changes.ts';

/** The step that a worker repeats for a page of a project. */
export const lookAtProject = readStep(
  'look-at-project',
  inProject('viewer'),
  (queries, { query }, { member, project }) =>
    readWatch(queries, { organisationId: member.organisationId, project }, query['since']),
  ['since'],
);

/**
 * Server-sent events: `ready` and then `changed`, with the changes of the project and its organisation
 * (`domain/audit/watched-changes.ts`). `since` is the position of the session or of an event.
 */
export const watchProject = conversation('watch-project', {
  route: 'GET /projects/{projectId}/events',
  access: inProject('viewer'),
  query: ['since'],
  run: (call, actors) => watchChanges(lookAtProject, call, actors),
});
