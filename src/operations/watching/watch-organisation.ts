import { conversation, readStep, signedIn } from '../operation.ts';
import { readWatch, watchChanges } from './watch-changes.ts';

/** What a worker asks again and again for somebody who has a page of the console open, and no project yet. */
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
