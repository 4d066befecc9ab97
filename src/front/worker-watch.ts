import { WatchedTime } from '../support/watched-time.ts';
import type { WorkerLink } from './worker-link.ts';

export interface WorkerWatchOptions {
  readonly requestDeadlineMs: number;
  /** The worker is stuck since `stuckSince`: start a spare in its place. */
  onStuck(link: WorkerLink): void;
  /** Called at the end of each check. @param now in watched milliseconds */
  onLook(now: number): void;
  /** Called when only a restart of the process helps. */
  readonly onFatal: (fault: Error) => void;
}

const watchIntervalMs = 250;
/**
 * A worker is stuck when its event loop has not turned for this long, or for the deadline of requests if that is
 * longer.
 */
const stuckAfterMs = 3000;
/**
 * A stuck worker that does not come back within this time, or a replacement that does not serve, ends the process in
 * order.
 */
const stuckMaxMs = 30_000;

/** Finds stuck workers. None can be ended by force: one that comes back is told to leave. */
export class WorkerWatch {
  readonly #links: ReadonlySet<WorkerLink>;
  readonly #options: WorkerWatchOptions;
  readonly #stuckAfterMs: number;
  readonly #time = new WatchedTime(watchIntervalMs);
  readonly #timer: NodeJS.Timeout;
  #now = 0;

  /** @param links workers that have been started and have not ended */
  constructor(links: ReadonlySet<WorkerLink>, options: WorkerWatchOptions) {
    this.#links = links;
    this.#options = options;
    this.#stuckAfterMs = Math.max(options.requestDeadlineMs, stuckAfterMs);
    this.#timer = setInterval(() => this.#look(), watchIntervalMs);
  }

  /** Time of the last check, in watched milliseconds. */
  get now(): number {
    return this.#now;
  }

  #look(): void {
    this.#now = this.#time.look();
    for (const link of this.#links) {
      if (link.isReady) this.#lookAt(link);
      else this.#lookAtStarting(link);
    }
    this.#options.onLook(this.#now);
  }

  #lookAt(link: WorkerLink): void {
    const isStuck = link.isStuck(this.#now, this.#stuckAfterMs);
    if (link.stuckSince === null) {
      if (!isStuck) return;
      link.stuckSince = this.#now;
      this.#options.onStuck(link);
    } else if (!isStuck) {
      if (!link.isLeaving) link.send({ kind: 'leave', reason: 'it hung for a while' });
    } else if (this.#now - link.stuckSince > stuckMaxMs) {
      this.#options.onFatal(new Error('a worker thread has been stuck for 30 seconds'));
    }
  }

  /** A start that hangs is left to the process manager's timeout. For a replacement nobody else has one. */
  #lookAtStarting({ replacesSince }: WorkerLink): void {
    if (replacesSince === null || this.#now - replacesSince <= stuckMaxMs) return;
    this.#options.onFatal(
      new Error('a worker thread that replaces another one has not become ready for 30 seconds'),
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
