import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { PrimaryLink } from './primary-link.ts';

export interface AcknowledgementWatchOptions {
  readonly acknowledgements: Acknowledgements;
  /** The link of commits: what is seen there says which nodes a change must wait for. */
  readonly writing: PrimaryLink;
  /** Whether a commit is under way over it, or the lock is held: see `Committer.isBusy`. */
  isBusy(): boolean;
  /** How often the nodes are read where nothing waits. */
  readonly readEveryMs: number;
  readonly log: Logger;
}

/** How often it is looked whether a change has waited too long, and how soon nodes are read for its sake. */
const settleEveryMs = 100;
const readNodesAfterMs = 150;

/**
 * Looks after the changes that wait for other nodes, whatever becomes of this node's own lease and of the connection that
 * renews it: each is settled in its time. While a commit is under way nothing is read, because the answer would come behind the
 * commit's, and late ones end the connection; and a read under the lock would keep alive what PostgreSQL ends when it is silent.
 * A commit reads the nodes itself, behind what it stored and after it was refused.
 */
export class AcknowledgementWatch {
  readonly #options: AcknowledgementWatchOptions;
  #timer: NodeJS.Timeout | null = null;
  #isReading = false;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: AcknowledgementWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), settleEveryMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const { acknowledgements, readEveryMs, log, isBusy } = this.#options;
    acknowledgements.settle();
    if (isBusy()) return;
    const isDue = monotonicMs() - this.#readAt >= readEveryMs;
    if (this.#isReading || !(isDue || acknowledgements.oldestMs >= readNodesAfterMs)) return;
    this.#isReading = true;
    this.#readNodes()
      .catch((fault: Error) => log.debug({ reason: fault.message }, 'the nodes could not be read'))
      .finally(() => {
        this.#isReading = false;
      });
  }

  async #readNodes(): Promise<void> {
    const connection = await this.#options.writing.get();
    this.#readAt = monotonicMs();
    await this.#options.acknowledgements.readNodes(connection);
  }
}
