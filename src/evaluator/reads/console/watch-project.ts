import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { readWatch } from './read-watch.ts';

/** What a worker asks again and again for somebody who has a page of the project open. */
export const watchProject: ProjectRead = (queries, { query }, { member, project }) =>
  readWatch(queries, { organisationId: member.organisationId, project }, query['since']);
