import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { BetweenEvents } from '../between-events.ts';
import type { EnvironmentFeed } from './environment-feed.ts';
import type { EnvironmentWatch } from './environment-watch.ts';
import { type StateWork, StateWorks } from './state-works.ts';
import type { SyncStream } from './sync-stream.ts';

/** Something that is done for each of several streams. */
interface Pass {
  /** Does it for the next one. @returns false: there is none */
  step(): boolean;
  /** It was asked for again meanwhile. */
  next: Pass | null;
}

interface SyncWorkOptions {
  readonly watch: EnvironmentWatch;
  readonly log: Logger;
  readonly onStep: (ms: number) => void;
  /** Serves a stream that can go on. */
  readonly serve: (stream: SyncStream) => void;
  /** Work on messages of the feed has failed. */
  readonly onFailed: (feed: EnvironmentFeed) => void;
}

/** What a worker does for streams, in slices between events: passes in their order, work on states, and one stream after the other. */
export class SyncWork {
  readonly #options: SyncWorkOptions;
  /** By what they are about, the first one is under way. */
  readonly #passes = new Map<object, Pass>();
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

  /**
   * Does something for each item, one in a step. What was asked for about the same and is not done yet is done once more,
   * behind what others have asked for: so there are never more passes than there are things to pass on.
   * @param about tells passes apart
   */
  forEach<T>(about: object, items: Iterable<T>, run: (item: T) => void): void {
    const left = items[Symbol.iterator]();
    const step = (): boolean => {
      const next = left.next();
      if (next.done !== true) run(next.value);
      return next.done !== true;
    };
    const pending = this.#passes.get(about);
    if (pending === undefined) this.#passes.set(about, { step, next: null });
    else pending.next = { step, next: null };
    this.#between.schedule();
  }

  /** Has the stream served: it needs something, or its client has taken what was written. */
  schedule(stream: SyncStream): void {
    if (stream.isOver) return;
    this.#runnable.add(stream);
    this.#between.schedule();
  }

  /** Has work on a settled state done when its turn comes, in slices. */
  withState(asked: StateWork): void {
    this.#states.add(asked);
    this.#between.schedule();
  }

  /** The work is not done if it still waits. */
  withdraw(asked: StateWork): void {
    this.#states.withdraw(asked);
  }

  #fail(fault: unknown): void {
    this.#options.log.error({ err: fault }, 'a message of sync could not be made');
  }

  /** Does work for so long. @returns whether there is more */
  #run(budgetMs: number): boolean {
    const until = monotonicMs() + budgetMs;
    do {
      // In turns: long work holds up no stream that is sent something.
      const hasPass = this.#passOn();
      const hasState = this.#states.step();
      if (!this.#runNext() && !hasPass && !hasState) return false;
    } while (monotonicMs() < until);
    return this.#passes.size > 0 || this.#runnable.size > 0 || this.#states.canStep;
  }

  /** Goes on with the first pass, by one stream. @returns whether there was one */
  #passOn(): boolean {
    for (const [about, pass] of this.#passes) {
      if (!this.#isDone(pass)) return true;
      this.#passes.delete(about);
      if (pass.next !== null) this.#passes.set(about, pass.next);
      return true;
    }
    return false;
  }

  #isDone(pass: Pass): boolean {
    try {
      return !pass.step();
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
