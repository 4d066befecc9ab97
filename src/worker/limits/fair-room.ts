import type { KnownAsker } from '../../operations/call.ts';
import { widestNetwork } from '../../support/address-networks.ts';
import type { SharedBudget } from './shared-budget.ts';

/** Of a room, one holder may have so much on the connections of one worker. */
const holderShare = 0.25;

/** A bounded room of the process, such as the bytes of bodies: nobody gets all of it. */
export class FairRoom {
  readonly #all: SharedBudget;
  readonly #holderMax: number;
  readonly #held = new Map<string, number>();

  /** @param max of all workers together */
  constructor(all: SharedBudget, max: number) {
    this.#all = all;
    this.#holderMax = Math.max(1, Math.floor(max * holderShare));
  }

  /** For a request whose asker is not known. @param limitKey of its address; an IPv6 /48 is one holder */
  ofStranger(limitKey: string): FairHold {
    return this.of(widestNetwork(limitKey));
  }

  /** An organisation is one holder, and who has none. @param leastMax what it may have of a small room */
  ofAsker({ asker, organisation }: Pick<KnownAsker, 'asker' | 'organisation'>, leastMax: number): FairHold {
    return this.of(organisation ?? asker, leastMax);
  }

  of(holder: string, leastMax = 1): FairHold {
    return new FairHold(this.#all, this.#held, holder, Math.max(leastMax, this.#holderMax));
  }
}

/** What one request has of a room. */
export class FairHold {
  readonly #all: SharedBudget;
  readonly #heldBy: Map<string, number>;
  readonly #holder: string;
  readonly #max: number;
  #held = 0;

  constructor(all: SharedBudget, heldBy: Map<string, number>, holder: string, max: number) {
    this.#all = all;
    this.#heldBy = heldBy;
    this.#holder = holder;
    this.#max = max;
  }

  /** @returns whether there was room; then `give` must follow */
  take(amount: number): boolean {
    const held = (this.#heldBy.get(this.#holder) ?? 0) + amount;
    if (held > this.#max || !this.#all.take(amount)) return false;
    this.#heldBy.set(this.#holder, held);
    this.#held += amount;
    return true;
  }

  give(amount: number): void {
    this.#all.give(amount);
    this.#held -= amount;
    const held = (this.#heldBy.get(this.#holder) ?? 0) - amount;
    if (held > 0) this.#heldBy.set(this.#holder, held);
    else this.#heldBy.delete(this.#holder);
  }

  /** Gives back all that it has. */
  end(): void {
    if (this.#held > 0) this.give(this.#held);
  }
}
