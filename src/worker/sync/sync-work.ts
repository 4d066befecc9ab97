import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { BetweenEvents } from '../between-events.ts';
import type { EnvironmentFeed } from './environment-feed.ts';
import type { EnvironmentWatch } from './environment-watch.ts';
import { type StateWork, StateWorks } from './state-works.ts';
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

/** What a worker does for streams, in slices between events: tasks in their order, work on states, and one stream after the other. */
export class SyncWork {
  readonly #options: SyncWorkOptions;
  readonly #tasks: Task[] = [];
  readonly #runnable = new Set<SyncStream>();
  readonly #between: BetweenEvents;
  readonly #states: StateWorks;

  constructor(options: SyncWorkOptions) {
    this.#options = options;
    this.#between = new BetweenEvents((budgetMs) => this.#run(budgetMs), options.onStep);
    this.#states = new StateWorks({
      watch: options.watch,
      onReady: () => this.#between.schedule(),
      onFault: (feed, fault) => {
        this.#fail(fault);
        options.onFailed(feed);
      },
    });
  }

  forget(stream: SyncStream): void {
    this.#runnable.delete(stream);
    this.#states.forget(stream);
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

  /** Has work on a settled state done when its turn comes, in slices. */
  withState(asked: StateWork): void {
    this.#states.add(asked);
    this.#between.schedule();
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
      // In turns: long work holds up no stream that is sent something.
      const hasState = this.#states.step();
      if (!this.#runNext() && task === undefined && !hasState) return false;
    } while (monotonicMs() < until);
    return this.#tasks.length > 0 || this.#runnable.size > 0 || this.#states.canStep;
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
