import type { ClusterMessage } from '../cluster/client/cluster-protocol.ts';
import type { NodeList } from '../contracts/console/node-views.ts';
import type { NodesPort } from '../operations/cluster/nodes-port.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { within } from '../support/within.ts';

/** How long an answer is given again: any number of pages costs PostgreSQL one question in this time. */
const keptMs = 2000;
/** How long a page waits for the answer. */
const answerTimeoutMs = 4000;

/** Asks the cluster's thread for the nodes, one question at a time. */
export class ClusterNodes implements NodesPort {
  readonly #ask: () => void;
  #last: { readonly list: NodeList | null; readonly at: number } | null = null;
  #asked: Promise<void> | null = null;
  #onAnswer: () => void = () => undefined;

  /** @param ask sends the question; its answer comes to `receive` */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  async list(): Promise<NodeList | null> {
    const last = this.#last;
    if (last !== null && monotonicMs() - last.at < keptMs) return last.list;
    this.#asked ??= new Promise((resolve) => {
      this.#onAnswer = resolve;
      this.#ask();
    });
    return (await within(answerTimeoutMs, this.#asked)) ? (this.#last?.list ?? null) : null;
  }

  receive({ list }: Extract<ClusterMessage, { kind: 'nodes' }>): void {
    this.#last = { list, at: monotonicMs() };
    this.#asked = null;
    this.#onAnswer();
  }
}
