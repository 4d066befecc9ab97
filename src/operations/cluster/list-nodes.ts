import { nodeListSchema } from '../../contracts/console/node-views.ts';
import { conversation, inOrganisation } from '../operation.ts';
import { askReads } from '../sessions/ask-actors.ts';
import { permitNodes } from './permit-nodes.ts';

const alone = 'This service is not a node of a cluster.';
const cutOff = 'PostgreSQL cannot be asked at the moment. Retry in a moment.';

/** The nodes of the cluster, as PostgreSQL lists them: positions and leases, without data of organisations. */
export const listNodes = conversation('list-nodes', {
  route: 'GET /cluster/nodes',
  access: inOrganisation('owner'),
  answer: nodeListSchema,
  run: async ({ request }, actors) => {
    const permitted = askReads<null>(request, permitNodes, {}, actors);
    if (permitted === null) return;
    if (!actors.settings.isCluster) {
      request.refuse({ code: 'not-found', detail: alone });
      return;
    }
    const list = await actors.nodes.list();
    if (list === null) request.refuseUnavailable(cutOff);
    else request.answerJson(list);
  },
});
