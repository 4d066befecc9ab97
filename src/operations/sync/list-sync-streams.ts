import { syncStreamsSchema } from '../../contracts/console/sync-views.ts';
import { succeed } from '../../domain/outcome.ts';
import { conversation, inProject, readStep } from '../operation.ts';
import { askReads } from '../sessions/ask-actors.ts';

/** Whether the member may see the project. */
export const permitSyncStreams = readStep(
  'permit-sync-streams',
  inProject('viewer'),
  (_queries, _call, { project }) => succeed({ value: { projectId: project.id } }),
);

/** The programs that are connected by sync: how many, which versions they have, and how far behind they are. */
export const listSyncStreams = conversation('list-sync-streams', {
  route: 'GET /projects/{projectId}/sync',
  access: inProject('viewer'),
  answer: syncStreamsSchema,
  run: async ({ request }, actors) => {
    const permitted = askReads<{ readonly projectId: string }>(request, permitSyncStreams, {}, actors);
    if (permitted === null) return;
    const environments = await actors.syncStreams.list(permitted.value.projectId);
    request.answerJson({ environments });
  },
});
