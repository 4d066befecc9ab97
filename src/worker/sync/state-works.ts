import { TenantTurns } from '../../support/tenant-turns.ts';
import type { EnvironmentFeed } from './environment-feed.ts';
import type { EnvironmentWatch } from './environment-watch.ts';
import type { PinnedState } from './settled-state.ts';
import type { SyncStream } from './sync-stream.ts';

/** Work that reads one state of the store. */
export interface StateWork {
  readonly feed: EnvironmentFeed;
  /** For whom it is: without the stream it is not done. Null: for several. */
  readonly stream: SyncStream | null;
  work(state: PinnedState): Generator<string, unknown>;
  /** Called once, when it is done, has failed, or is not wanted any more. */
  finish(): void;
}

/** The work whose turn it is. */
interface Current {
  readonly asked: StateWork;
  /** Null while its state is not settled. */
  begun: { readonly state: PinnedState; readonly steps: Generator<string, unknown> } | null;
}

interface StateWorksOptions {
  readonly watch: Pick<EnvironmentWatch, 'pin'>;
  /** There is something to do again. */
  readonly onReady: () => void;
  readonly onFault: (feed: EnvironmentFeed, fault: unknown) => void;
}

/**
 * Work on states of the store, one after another: so a worker holds one snapshot for all of it. Organisations and
 * their projects take turns, and the work of a stream whose client has gone is not done.
 */
export class StateWorks {
  readonly #options: StateWorksOptions;
  readonly #waiting = new TenantTurns<StateWork>();
  /** At most one of each stream waits. */
  readonly #ofStream = new Map<SyncStream, StateWork>();
  #current: Current | null = null;

  constructor(options: StateWorksOptions) {
    this.#options = options;
  }

  add(asked: StateWork): void {
    this.#waiting.add(asked.feed.environment, asked);
    if (asked.stream !== null) this.#ofStream.set(asked.stream, asked);
  }

  /** The stream is over. */
  forget(stream: SyncStream): void {
    const asked = this.#ofStream.get(stream);
    if (asked !== undefined) this.withdraw(asked);
  }

  /** The work is not done if it still waits. */
  withdraw(asked: StateWork): void {
    if (!this.#waiting.delete(asked.feed.environment, asked)) return;
    if (asked.stream !== null) this.#ofStream.delete(asked.stream);
    asked.finish();
  }

  get canStep(): boolean {
    return this.#current === null ? this.#waiting.size > 0 : this.#current.begun !== null;
  }

  /** Does one step. @returns whether there was one */
  step(): boolean {
    if (!this.canStep) return false;
    if (this.#current === null) this.#beginNext();
    else this.#goOn(this.#current);
    return true;
  }

  #beginNext(): void {
    const asked = this.#waiting.take();
    if (asked === undefined) return;
    if (asked.stream !== null) this.#ofStream.delete(asked.stream);
    this.#current = { asked, begun: null };
    this.#settle(this.#current);
  }

  /** Begins with the newest state once it is settled and has all that the feed was told of. */
  #settle(current: Current): void {
    try {
      const state = this.#options.watch.pin();
      state.whenSettled(() => this.#begin(current, state));
    } catch (fault) {
      this.#giveUp(current.asked, fault);
    }
  }

  #begin(current: Current, state: PinnedState): void {
    const { asked } = current;
    try {
      if (asked.feed.isAheadOf(state)) {
        state.release();
        this.#settle(current);
        return;
      }
      current.begun = { state, steps: asked.work(state) };
      this.#options.onReady();
    } catch (fault) {
      state.release();
      this.#giveUp(asked, fault);
    }
  }

  #giveUp(asked: StateWork, fault: unknown): void {
    this.#current = null;
    this.#options.onFault(asked.feed, fault);
    asked.finish();
    this.#options.onReady();
  }

  #goOn({ asked, begun }: Current): void {
    if (begun === null) return;
    try {
      const isUnwanted = asked.stream?.isOver === true;
      if (!isUnwanted && begun.steps.next().done !== true) return;
      if (isUnwanted) begun.steps.return(undefined);
    } catch (fault) {
      this.#options.onFault(asked.feed, fault);
    }
    this.#current = null;
    begun.state.release();
    asked.finish();
  }
}
