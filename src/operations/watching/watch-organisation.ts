import { conversation, readStep, signedIn } from '../operation.ts';
import { readWatch, watchChanges } from './watch-changes.ts';

/** The step that a worker repeats for a page of the console without a project. */
export const lookAtOrganisation = readStep(
  'look-at-organisation',
  signedIn,
  (queries, { query }, { member }) =>
    readWatch(queries, { organisationId: member.organisationId, project: null }, query['since']),
  ['since'],
);

/** As `watch-project`, for a page without a project. */
export const watchOrganisation = conversation('watch-organisation', {
  route: 'GET /events',
  access: signedIn,
  query: ['since'],
  run: (call, actors) => watchChanges(lookAtOrganisation, call, actors),
});
