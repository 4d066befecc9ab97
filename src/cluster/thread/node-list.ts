import type { NodesAnswer } from '../client/cluster-protocol.ts';
import { readStatus } from '../sql/upkeep-statements.ts';
import { silenceMs, validUntil } from './lease-rules.ts';
import { connectAs, type LinkOptions } from './primary-link.ts';

/** Reads the nodes on a connection of its own, which a timeout may end. */
export async function readNodeList(options: LinkOptions): Promise<NodesAnswer> {
  const connection = await connectAs(options);
  try {
    const { head, nodes, duties } = await readStatus(connection);
    return {
      position: head.position,
      nodes: nodes.map(({ id, label, applied, renewedMsAgo: sinceMs, leaseMs }) => {
        const renewedMsAgo = Math.max(0, sinceMs);
        return {
          ...{ id, label, renewedMsAgo },
          isAnswering: id === options.self(),
          isAttached: renewedMsAgo < silenceMs(leaseMs),
          position: applied,
          lag: Math.max(0, head.position - applied),
          leaseMs: Math.max(0, Math.round(validUntil(-renewedMsAgo, leaseMs))),
          duties: duties.filter(({ node }) => node === id).map(({ duty }) => duty),
        };
      }),
    };
  } finally {
    if (!connection.isOver) await connection.end();
  }
}
