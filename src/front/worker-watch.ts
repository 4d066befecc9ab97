import { WatchedTime } from '../support/watched-time.ts';
import type { WorkerLink } from './worker-link.ts';

export interface WorkerWatchOptions {
  readonly requestDeadlineMs: number;
  /** It makes no progress, since `stuckSince`: its place is to be taken. */
  onStuck(link: WorkerLink): void;
  /** Each look has this at its end. @param now in watched milliseconds */
  onLook(now: number): void;
  /** Only a restart of the process helps. */
  readonly onFatal: (fault: Error) => void;
}

const watchIntervalMs = 250;
/** A worker whose event loop has not turned for this long, or for the deadline of requests if that is longer, is stuck. */
const stuckAfterMs = 3000;
/** A stuck worker that does not come back within this, or a replacement that does not serve, ends the process in order. */
const stuckMaxMs = 30_000;

/** Finds the workers that hang. None can be ended by force: one that comes back is told to leave. */
export class WorkerWatch {
  readonly #links: ReadonlySet<WorkerLink>;
  readonly #options: WorkerWatchOptions;
  readonly #stuckAfterMs: number;
  readonly #time = new WatchedTime(watchIntervalMs);
  readonly #timer: NodeJS.Timeout;
  #now = 0;

  /** @param links all that have been launched and have not ended */
  constructor(links: ReadonlySet<WorkerLink>, options: WorkerWatchOptions) {
    this.#links = links;
    this.#options = options;
    this.#stuckAfterMs = Math.max(options.requestDeadlineMs, stuckAfterMs);
    this.#timer = setInterval(() => this.#look(), watchIntervalMs);
  }

  /** Of the last look, in watched milliseconds. */
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

  /** A start that hangs has its own time: the process manager's. A replacement has nobody else who waits for it. */
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
