import type { ClusterQuestions } from '../cluster/client/cluster-protocol.ts';
import type { NodeList } from '../contracts/console/node-views.ts';
import type { NodesPort } from '../operations/cluster/nodes-port.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { PortCalls } from '../support/port-calls.ts';
import { within } from '../support/within.ts';

/** Time for which an answer is cached, however many pages ask. */
const keptMs = 2000;
/** Timeout of a page for the answer. */
const answerTimeoutMs = 4000;

/** Asks the cluster's thread for the nodes, one question at a time. */
export class ClusterNodes implements NodesPort {
  readonly #questions: PortCalls<ClusterQuestions, Record<never, never>>;
  #last: { readonly list: NodeList | null; readonly at: number } | null = null;
  #asked: Promise<void> | null = null;

  constructor(questions: PortCalls<ClusterQuestions, Record<never, never>>) {
    this.#questions = questions;
  }

  async list(): Promise<NodeList | null> {
    const last = this.#last;
    if (last !== null && monotonicMs() - last.at < keptMs) return last.list;
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null;
    });
    return (await within(answerTimeoutMs, this.#asked)) ? (this.#last?.list ?? null) : null;
  }

  async #ask(): Promise<void> {
    // The thread may end meanwhile.
    const list = await this.#questions.ask('listNodes', null).catch(() => null);
    this.#last = { list, at: monotonicMs() };
  }
}
