import type { NodeList } from '../../contracts/console/node-views.ts';

/** The call of a request for the cluster's nodes. The process queries them once for all workers. */
export interface NodesPort {
  /** @returns as of a moment ago; null when the cluster cannot be reached, or there is none */
  list(): Promise<NodeList | null>;
}
