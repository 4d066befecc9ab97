import { FailureLog, tryAgain } from '../../observability/failure-log.ts';
import type { Logger } from '../../observability/logger.ts';
import type { ClusterCommits } from './cluster-commits.ts';

/** Retry interval. Until an attempt succeeds, clients may treat lost state as current. */
const againMs = 1000;

/**
 * Begins a new history as soon as a replica has taken over another past. It does not wait for the next change, which may be
 * made by a node that does not know of the loss.
 */
export class NewHistory {
  readonly #commits: Pick<ClusterCommits, 'beginHistoryIfDue'>;
  readonly #failures: FailureLog;
  readonly #stopped = new AbortController();
  #running: Promise<void> | null = null;

  constructor(commits: Pick<ClusterCommits, 'beginHistoryIfDue'>, log: Logger) {
    this.#commits = commits;
    this.#failures = new FailureLog(log, 'a new history could not be begun yet; it is tried again');
  }

  /** Begins a new history if one is due. Retries until it succeeds. */
  begin(): void {
    const retries = { failures: this.#failures, againMs, stopped: this.#stopped.signal };
    this.#running ??= tryAgain(retries, () => this.#commits.beginHistoryIfDue())
      // It was stopped. The store remembers that a history is due.
      .catch(() => undefined)
      .finally(() => {
        this.#running = null;
      });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}
