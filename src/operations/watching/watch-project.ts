import { conversation, inProject, readStep } from '../operation.ts';
import { readWatch, watchChanges } from './watch-changes.ts';

/** What a worker asks again and again for somebody who has a page of the project open. */
export const lookAtProject = readStep(
  'look-at-project',
  inProject('viewer'),
  (queries, { query }, { member, project }) =>
    readWatch(queries, { organisationId: member.organisationId, project }, query['since']),
  ['since'],
);

/**
 * Server-sent events: `ready` and then `changed`, with what has changed of the project and its organisation
 * (`domain/audit/watched-changes.ts`). `since` is the position of the session or of an event.
 */
export const watchProject = conversation('watch-project', {
  route: 'GET /projects/{projectId}/events',
  access: inProject('viewer'),
  query: ['since'],
  run: (call, actors) => watchChanges(lookAtProject, call, actors),
});
