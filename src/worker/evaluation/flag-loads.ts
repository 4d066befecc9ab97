import { widestNetwork } from '../../support/address-networks.ts';
import { accountNameOf, HeldPlaces, hasShare } from '../../support/fair-share.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Steps } from '../../support/steps.ts';
import { TenantTurns } from '../../support/tenant-turns.ts';
import type { CachedFlag } from './flag-cache.ts';

/** An evaluation that waits for its flag. */
export interface Waiter {
  /** The asker whose share it takes, beside the share of the flag's project. */
  readonly asker: string;
  /** In milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
  /** Evaluates again, with the flag from `FlagSource.find`. @returns false: the flag has to be loaded again */
  retry(): boolean;
  /** Its deadline has passed, and it no longer waits. */
  expire(): void;
}

/** A flag that has to be read in steps. */
export interface ColdFlag {
  readonly flagId: string;
  /**
   * From the flag's record, unverified. It decides in whose turn the flag is read, and whose share its waiters take.
   */
  readonly projectId: string;
  /** The organisation, or the member who owns a personal project. */
  readonly accountId: string | null;
}

interface Load extends ColdFlag {
  readonly waiters: Set<Waiter>;
  /** Null until the reading begins, and when it has to begin again. */
  steps: Steps<CachedFlag | undefined> | null;
  result: LoadResult | null;
}

type LoadResult = { readonly flag: CachedFlag | undefined } | { readonly fault: unknown };

/** Evaluations that wait in one worker, each with a connection of its own. */
const waitingMax = 1024;
/** An organisation has many projects, so it may hold more than its share of the free places by this factor. */
const organisationWeight = 1.5;
/** The same for an asker: behind a proxy that is not declared, all clients have the same address. */
const askerWeight = 2;

/**
 * Flags whose records are too long to be read while other requests wait. Each flag is read once for all its waiters, a
 * few steps in a turn of the event loop, one flag after the other: organisations take turns, and within one its projects.
 * A request whose client is gone, or that is late, is dropped first; a flag without waiters is not read.
 */
export class FlagLoads {
  readonly #begin: (flagId: string) => Steps<CachedFlag | undefined>;
  readonly #onWork: () => void;
  readonly #loads = new Map<string, Load>();
  /** Loads that have not begun. */
  readonly #turns = new TenantTurns<Load>();
  /** In the order of arrival, which is the order of deadlines. */
  readonly #waiting = new Map<Waiter, Load>();
  readonly #ofProject = new HeldPlaces();
  readonly #ofOrganisation = new HeldPlaces();
  readonly #ofAsker = new HeldPlaces();
  #current: Load | null = null;

  /** @param onWork called when there is work: `run` must then be called until it returns false */
  constructor(begin: (flagId: string) => Steps<CachedFlag | undefined>, onWork: () => void) {
    this.#begin = begin;
    this.#onWork = onWork;
  }

  get isEmpty(): boolean {
    return this.#loads.size === 0;
  }

  /** @returns the outcome of a load: null while the flag is being read, undefined when there is no load of this flag */
  find(flagId: string): { readonly flag: CachedFlag | undefined } | null | undefined {
    const load = this.#loads.get(flagId);
    if (load === undefined) return undefined;
    if (load.result !== null && 'fault' in load.result) throw load.result.fault;
    return load.result;
  }

  /** @returns the flag, if others wait for it */
  coldFlag(flagId: string): ColdFlag | undefined {
    return this.#loads.get(flagId);
  }

  /** @returns false when there is no room, or the flag's project, organisation or asker holds its share already */
  add(cold: ColdFlag, waiter: Waiter): boolean {
    const { flagId, projectId, accountId } = cold;
    const network = widestNetwork(waiter.asker);
    const free = waitingMax - this.#waiting.size;
    if (!hasShare(this.#ofProject.of(projectId), free, 1)) return false;
    if (!hasShare(this.#ofOrganisation.of(accountNameOf(cold)), free, organisationWeight)) return false;
    if (!hasShare(this.#ofAsker.of(network), free, askerWeight)) return false;
    const load = this.#loads.get(flagId) ?? this.#enqueue({ flagId, projectId, accountId });
    load.waiters.add(waiter);
    this.#waiting.set(waiter, load);
    this.#ofProject.take(load.projectId);
    this.#ofOrganisation.take(accountNameOf(load));
    this.#ofAsker.take(network);
    return true;
  }

  #enqueue(cold: ColdFlag): Load {
    const load: Load = { ...cold, waiters: new Set(), steps: null, result: null };
    this.#loads.set(cold.flagId, load);
    this.#turns.add(load, load);
    if (this.#loads.size === 1) this.#onWork();
    return load;
  }

  /** Removes a waiter. @returns false: it was not waiting */
  leave(waiter: Waiter): boolean {
    const load = this.#waiting.get(waiter);
    if (load === undefined) return false;
    this.#waiting.delete(waiter);
    load.waiters.delete(waiter);
    this.#ofProject.give(load.projectId);
    this.#ofOrganisation.give(accountNameOf(load));
    this.#ofAsker.give(widestNetwork(waiter.asker));
    if (load.waiters.size === 0) this.#end(load);
    return true;
  }

  #end(load: Load): void {
    load.steps?.return(undefined);
    this.#loads.delete(load.flagId);
    if (this.#current === load) this.#current = null;
    this.#turns.delete(load, load);
  }

  /** A flag changed: what was read of it is discarded. */
  forgetFlag(flagId: string): void {
    const load = this.#loads.get(flagId);
    if (load !== undefined) load.result = null;
  }

  /** A flag's project or audience changed. Only the load under way has read anything of them. */
  forgetProject(projectId: string): void {
    if (this.#current?.projectId === projectId) this.#current.result = null;
  }

  forgetAll(): void {
    if (this.#current !== null) this.#current.result = null;
  }

  /** Drops the waiters whose deadline has passed. */
  expire(): void {
    const now = monotonicMs();
    for (const waiter of this.#waiting.keys()) {
      if (waiter.deadlineMs > now) return;
      this.leave(waiter);
      waiter.expire();
    }
  }

  /** Makes at least one step, and more until the time is over. @returns whether there is more to do */
  run(budgetMs: number): boolean {
    const end = monotonicMs() + budgetMs;
    this.expire();
    do {
      this.#current ??= this.#turns.take() ?? null;
      if (this.#current === null) return false;
      this.#step(this.#current);
    } while (monotonicMs() < end);
    return !this.isEmpty;
  }

  /** Makes the next step of reading, or answers one of the waiters. */
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
