import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { PrimaryLink } from './primary-link.ts';

export interface AcknowledgementWatchOptions {
  readonly acknowledgements: Acknowledgements;
  /** The link of commits: its reads say which nodes a change must wait for. */
  readonly writing: PrimaryLink;
  /** Whether a commit is in flight on that link, or the lock is held: see `Committer.isBusy`. */
  isBusy(): boolean;
  /** Interval of reads of the nodes while no change waits. */
  readonly readEveryMs: number;
  readonly log: Logger;
}

/**
 * Interval of the check for changes that have waited too long, and delay before nodes are read for a waiting change.
 */
const settleEveryMs = 100;
const readNodesAfterMs = 150;

/**
 * Settles waiting changes in time, whatever happens to this node's own lease and to the connection that renews it. It
 * reads nothing while a commit is in flight: the answer would arrive after the commit's, and a late answer ends the
 * connection. Nor does it read under the lock: that would reset PostgreSQL's timeout for a silent session. A commit
 * reads the nodes itself, also after it was refused.
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
