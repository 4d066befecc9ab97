import type { NodeList } from '../../contracts/console/node-views.ts';

/** The way of a request to the cluster, of which the process asks once for all workers. */
export interface NodesPort {
  /** @returns as of a moment ago; null when the cluster cannot be asked, or there is none */
  list(): Promise<NodeList | null>;
}
