import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import { readWatch } from './read-watch.ts';

/** What a worker asks again and again for somebody who has a page of the console open, and no project yet. */
export const watchOrganisation: ConsoleRead = (queries, { query }, { member }) =>
  readWatch(queries, { organisationId: member.organisationId, project: null }, query['since']);
