import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { BetweenEvents } from '../between-events.ts';
import type { EnvironmentFeed } from './environment-feed.ts';
import type { EnvironmentWatch } from './environment-watch.ts';
import type { PinnedState } from './settled-state.ts';
import type { SyncStream } from './sync-stream.ts';

/** A step of work between events. @returns whether there is more to do */
type Task = () => boolean;

interface SyncWorkOptions {
  readonly watch: EnvironmentWatch;
  readonly log: Logger;
  readonly onStep: (ms: number) => void;
  /** Serves a stream that can go on. */
  readonly serve: (stream: SyncStream) => void;
  /** Work on messages of the feed has failed. */
  readonly onFailed: (feed: EnvironmentFeed) => void;
}

/** What a worker does for streams, in slices between events: tasks in their order, then one stream after the other. */
export class SyncWork {
  readonly #options: SyncWorkOptions;
  readonly #tasks: Task[] = [];
  readonly #runnable = new Set<SyncStream>();
  readonly #between: BetweenEvents;

  constructor(options: SyncWorkOptions) {
    this.#options = options;
    this.#between = new BetweenEvents((budgetMs) => this.#run(budgetMs), options.onStep);
  }

  forget(stream: SyncStream): void {
    this.#runnable.delete(stream);
  }

  /** Does something for each stream, one in a step. */
  forEach(streams: Iterable<SyncStream>, run: (stream: SyncStream) => void): void {
    const left = [...streams][Symbol.iterator]();
    this.#addTask(() => {
      const next = left.next();
      if (next.done === true) return false;
      run(next.value);
      return true;
    });
  }

  /** Has the stream served: it needs something, or its client has taken what was written. */
  schedule(stream: SyncStream): void {
    if (stream.isOver) return;
    this.#runnable.add(stream);
    this.#between.schedule();
  }

  #addTask(task: Task): void {
    this.#tasks.push(task);
    this.#between.schedule();
  }

  /**
   * Runs work on a settled state, in slices.
   * @param finish called when it is done, also when it has failed
   */
  withState(
    feed: EnvironmentFeed,
    work: (state: PinnedState) => Generator<string, unknown>,
    finish: () => void,
  ): void {
    const state = this.#options.watch.pin();
    state.whenSettled(() => {
      if (feed.isAheadOf(state)) {
        state.release();
        this.withState(feed, work, finish);
        return;
      }
      const steps = work(state);
      const end = (): false => {
        state.release();
        finish();
        return false;
      };
      this.#addTask(() => {
        try {
          return steps.next().done === true ? end() : true;
        } catch (fault) {
          this.#fail(fault);
          this.#options.onFailed(feed);
          return end();
        }
      });
    });
  }

  #fail(fault: unknown): void {
    this.#options.log.error({ err: fault }, 'a message of sync could not be made');
  }

  /** Does work for so long. @returns whether there is more */
  #run(budgetMs: number): boolean {
    const until = monotonicMs() + budgetMs;
    do {
      const task = this.#tasks[0];
      if (task !== undefined && !this.#runTask(task)) this.#tasks.shift();
      // In turns with the tasks: a long one holds up no stream that is sent something.
      if (!this.#runNext() && task === undefined) return false;
    } while (monotonicMs() < until);
    return this.#tasks.length > 0 || this.#runnable.size > 0;
  }

  #runTask(task: Task): boolean {
    try {
      return task();
    } catch (fault) {
      this.#fail(fault);
      return false;
    }
  }

  /** Serves the stream that has waited longest. @returns whether there was one */
  #runNext(): boolean {
    for (const stream of this.#runnable) {
      this.#runnable.delete(stream);
      try {
        this.#options.serve(stream);
      } catch (fault) {
        this.#fail(fault);
      }
      return true;
    }
    return false;
  }
}
