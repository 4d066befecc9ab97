import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.ts';
import { messageOf } from '../../support/message-of.ts';
import type { ClusterCommits } from './cluster-commits.ts';

/** Between two attempts: until one succeeds, what clients know of a past that was lost may be taken for the present. */
const againMs = 1000;

/** Begins another history as soon as a replica has taken over another past: the next change may be made by a node that does not know of it. */
export class NewHistory {
  readonly #commits: Pick<ClusterCommits, 'beginHistoryIfDue'>;
  readonly #log: Logger;
  readonly #stopped = new AbortController();
  #running: Promise<void> | null = null;

  constructor(commits: Pick<ClusterCommits, 'beginHistoryIfDue'>, log: Logger) {
    this.#commits = commits;
    this.#log = log;
  }

  /** Where it is due. Tried until it succeeds. */
  begin(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await this.#commits.beginHistoryIfDue();
      } catch (fault) {
        if (attempt === 1 && !signal.aborted)
          this.#log.info({ reason: messageOf(fault) }, 'another history could not be begun yet');
      }
      await pause(againMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Nothing is begun any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}
