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
 * Work on states of the store, one after another: so a worker holds one snapshot for all of it. Projects take turns, and
 * the work of a stream whose client has gone is not done.
 */
export class StateWorks {
  readonly #options: StateWorksOptions;
  /** By project; the first one is the next. */
  readonly #waiting = new Map<string, Set<StateWork>>();
  /** At most one of each stream waits. */
  readonly #ofStream = new Map<SyncStream, StateWork>();
  #current: Current | null = null;

  constructor(options: StateWorksOptions) {
    this.#options = options;
  }

  add(asked: StateWork): void {
    const { projectId } = asked.feed.environment;
    const own = this.#waiting.get(projectId) ?? new Set();
    this.#waiting.set(projectId, own.add(asked));
    if (asked.stream !== null) this.#ofStream.set(asked.stream, asked);
  }

  /** The stream is over. */
  forget(stream: SyncStream): void {
    const asked = this.#ofStream.get(stream);
    if (asked === undefined) return;
    this.#remove(asked);
    asked.finish();
  }

  #remove(asked: StateWork): void {
    const { projectId } = asked.feed.environment;
    const own = this.#waiting.get(projectId);
    own?.delete(asked);
    if (own?.size === 0) this.#waiting.delete(projectId);
    if (asked.stream !== null) this.#ofStream.delete(asked.stream);
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
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [projectId, own] = next;
    const [asked] = own;
    if (asked === undefined) return;
    this.#remove(asked);
    // The project's next work waits behind that of the others.
    this.#waiting.delete(projectId);
    if (own.size > 0) this.#waiting.set(projectId, own);
    this.#current = { asked, begun: null };
    this.#settle(this.#current);
  }

  #settle(current: Current): void {
    const { asked } = current;
    try {
      const state = this.#options.watch.pin();
      state.whenSettled(() => {
        if (asked.feed.isAheadOf(state)) {
          state.release();
          this.#settle(current);
          return;
        }
        current.begun = { state, steps: asked.work(state) };
        this.#options.onReady();
      });
    } catch (fault) {
      this.#current = null;
      this.#options.onFault(asked.feed, fault);
      asked.finish();
      this.#options.onReady();
    }
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
