import { FailureLog, tryAgain } from '../../observability/failure-log.ts';
import type { Logger } from '../../observability/logger.ts';
import type { ClusterCommits } from './cluster-commits.ts';

/** Between two attempts: until one succeeds, what clients know of a past that was lost may be taken for the present. */
const againMs = 1000;

/** Begins another history as soon as a replica has taken over another past: the next change may be made by a node that does not know of it. */
export class NewHistory {
  readonly #commits: Pick<ClusterCommits, 'beginHistoryIfDue'>;
  readonly #failures: FailureLog;
  readonly #stopped = new AbortController();
  #running: Promise<void> | null = null;

  constructor(commits: Pick<ClusterCommits, 'beginHistoryIfDue'>, log: Logger) {
    this.#commits = commits;
    this.#failures = new FailureLog(log, 'another history could not be begun yet; it is tried again');
  }

  /** Where it is due. Tried until it succeeds. */
  begin(): void {
    const retries = { failures: this.#failures, againMs, stopped: this.#stopped.signal };
    this.#running ??= tryAgain(retries, () => this.#commits.beginHistoryIfDue())
      // It was stopped: the store notes that it is due.
      .catch(() => undefined)
      .finally(() => {
        this.#running = null;
      });
  }

  /** Nothing is begun any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}
