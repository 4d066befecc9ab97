import { HeldPlaces, hasShare } from '../../support/fair-share.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Steps } from '../../support/steps.ts';
import type { CachedFlag } from './flag-cache.ts';

/** An evaluation that waits for its flag. */
export interface Waiter {
  /** Whose share of the room it takes, beside that of the flag's project. */
  readonly asker: string;
  /** Of the monotonic clock. */
  readonly deadlineMs: number;
  /** Evaluates again: `FlagSource.find` says now what became of the flag. @returns false: it is to be loaded again */
  retry(): boolean;
  /** Its deadline has passed. It does not wait any more. */
  expire(): void;
}

/** A flag that is to be read in steps. */
export interface ColdFlag {
  readonly flagId: string;
  /** As its record says, unverified: it decides in whose turn the flag is read, and whose share its waiters take. */
  readonly projectId: string;
  /** The project's; null of a personal one. */
  readonly organisationId: string | null;
}

interface Load extends ColdFlag {
  readonly waiters: Set<Waiter>;
  /** Null until it begins, and when it is to begin again. */
  steps: Steps<CachedFlag | undefined> | null;
  result: LoadResult | null;
}

type LoadResult = { readonly flag: CachedFlag | undefined } | { readonly fault: unknown };

/** Whose turn it is to have a flag read: an organisation's, or a personal project's. */
function ownerOf({ organisationId, projectId }: ColdFlag): string {
  return organisationId ?? projectId;
}

/** Evaluations that wait in one worker, each with a connection of its own. */
const waitingMax = 1024;
/** What an organisation, which has many projects, may hold of what is free. */
const organisationWeight = 1.5;
/** What an asker may. Behind a proxy that is not declared all have the same address. */
const askerWeight = 2;

/**
 * Flags whose records are too long to be read while other requests wait: each is read once for all who ask for it, a few
 * steps in a turn of the event loop, one flag after the other and of each organisation in turn. A request that is gone,
 * or late, is dropped before anything is done for it; what nobody waits for is not read.
 */
export class FlagLoads {
  readonly #begin: (flagId: string) => Steps<CachedFlag | undefined>;
  readonly #onWork: () => void;
  readonly #loads = new Map<string, Load>();
  /** Those that are not under way, by whose they are: the owner that comes next is the first. */
  readonly #queues = new Map<string, Set<Load>>();
  /** In the order of arrival, which is that of their deadlines. */
  readonly #waiting = new Map<Waiter, Load>();
  readonly #ofProject = new HeldPlaces();
  readonly #ofOrganisation = new HeldPlaces();
  readonly #ofAsker = new HeldPlaces();
  #current: Load | null = null;

  /** @param onWork told when `run` is to be called until it says that nothing waits */
  constructor(begin: (flagId: string) => Steps<CachedFlag | undefined>, onWork: () => void) {
    this.#begin = begin;
    this.#onWork = onWork;
  }

  get isEmpty(): boolean {
    return this.#loads.size === 0;
  }

  /** @returns what became of a flag that is loaded: null while it is, undefined when it is none of these */
  find(flagId: string): { readonly flag: CachedFlag | undefined } | null | undefined {
    const load = this.#loads.get(flagId);
    if (load === undefined) return undefined;
    if (load.result !== null && 'fault' in load.result) throw load.result.fault;
    return load.result;
  }

  /** @returns the flag if others wait for it */
  coldFlag(flagId: string): ColdFlag | undefined {
    return this.#loads.get(flagId);
  }

  /** @returns false: there is no room, or its project, its organisation or the asker has its share of it */
  add(cold: ColdFlag, waiter: Waiter): boolean {
    const { flagId, projectId, organisationId } = cold;
    const free = waitingMax - this.#waiting.size;
    if (!hasShare(this.#ofProject.of(projectId), free, 1)) return false;
    if (!hasShare(this.#ofOrganisation.of(ownerOf(cold)), free, organisationWeight)) return false;
    if (!hasShare(this.#ofAsker.of(waiter.asker), free, askerWeight)) return false;
    const load = this.#loads.get(flagId) ?? this.#enqueue({ flagId, projectId, organisationId });
    load.waiters.add(waiter);
    this.#waiting.set(waiter, load);
    this.#ofProject.take(load.projectId);
    this.#ofOrganisation.take(ownerOf(load));
    this.#ofAsker.take(waiter.asker);
    return true;
  }

  #enqueue(cold: ColdFlag): Load {
    const load: Load = { ...cold, waiters: new Set(), steps: null, result: null };
    this.#loads.set(cold.flagId, load);
    const owner = ownerOf(cold);
    const queue = this.#queues.get(owner) ?? new Set();
    this.#queues.set(owner, queue.add(load));
    if (this.#loads.size === 1) this.#onWork();
    return load;
  }

  /** It does not wait any more. @returns false: it has not waited */
  leave(waiter: Waiter): boolean {
    const load = this.#waiting.get(waiter);
    if (load === undefined) return false;
    this.#waiting.delete(waiter);
    load.waiters.delete(waiter);
    this.#ofProject.give(load.projectId);
    this.#ofOrganisation.give(ownerOf(load));
    this.#ofAsker.give(waiter.asker);
    if (load.waiters.size === 0) this.#end(load);
    return true;
  }

  #end(load: Load): void {
    load.steps?.return(undefined);
    this.#loads.delete(load.flagId);
    if (this.#current === load) this.#current = null;
    const owner = ownerOf(load);
    const queue = this.#queues.get(owner);
    if (queue?.delete(load) && queue.size === 0) this.#queues.delete(owner);
  }

  /** A flag changed: what was read of it does not count any more. */
  forgetFlag(flagId: string): void {
    const load = this.#loads.get(flagId);
    if (load !== undefined) load.result = null;
  }

  /** Its project did, or an audience of it. Only the one under way has been read. */
  forgetProject(projectId: string): void {
    if (this.#current?.projectId === projectId) this.#current.result = null;
  }

  forgetAll(): void {
    if (this.#current !== null) this.#current.result = null;
  }

  /** Drops those that are late. */
  expire(): void {
    const now = monotonicMs();
    for (const waiter of this.#waiting.keys()) {
      if (waiter.deadlineMs > now) return;
      this.leave(waiter);
      waiter.expire();
    }
  }

  /** Makes at least one step, and others until the time is over. @returns whether more waits */
  run(budgetMs: number): boolean {
    const end = monotonicMs() + budgetMs;
    this.expire();
    do {
      this.#current ??= this.#next();
      if (this.#current === null) return false;
      this.#step(this.#current);
    } while (monotonicMs() < end);
    return !this.isEmpty;
  }

  /** @returns the first flag of the owner whose turn it is */
  #next(): Load | null {
    for (const [owner, queue] of this.#queues) {
      const [load] = queue;
      this.#queues.delete(owner);
      if (load === undefined) continue;
      queue.delete(load);
      if (queue.size > 0) this.#queues.set(owner, queue);
      return load;
    }
    return null;
  }

  /** Goes on reading, or answers one of those who wait for what was read. */
  #step(load: Load): void {
    if (load.result === null) this.#read(load);
    else {
      const [waiter] = load.waiters;
      if (waiter?.retry()) this.leave(waiter);
    }
  }

  #read(load: Load): void {
    try {
      load.steps ??= this.#begin(load.flagId);
      const step = load.steps.next();
      if (step.done !== true) return;
      load.result = { flag: step.value };
    } catch (fault) {
      load.result = { fault };
    }
    load.steps = null;
  }
}
