import { assert } from './assert.ts';

/**
 * Whether a holder may take another of the shared places: it must hold fewer than `weight` times the free ones. So
 * places are left however many one holder asks for: with a weight of 1, half of them, and a third for the next holder.
 * No place is reserved, and a holder that is alone gets many (Choudhury and Hahne, dynamic queue length thresholds).
 */
export function hasShare(held: number, free: number, weight: number): boolean {
  return held < free * weight;
}

/** The same for an amount: what a holder has and wants together must not be more than `weight` times what is free. */
export function fitsShare(held: number, wanted: number, free: number, weight: number): boolean {
  return held + wanted <= free * weight;
}

/** Counts the places of each holder. */
export class HeldPlaces {
  readonly #held = new Map<string, number>();
  #size = 0;

  /** The places of all holders. */
  get size(): number {
    return this.#size;
  }

  of(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** @param max places of all holders. @returns whether `hasShare` lets the holder take another one */
  hasShareFor(holder: string, max: number, weight: number): boolean {
    return hasShare(this.of(holder), max - this.#size, weight);
  }

  take(holder: string): void {
    this.#held.set(holder, this.of(holder) + 1);
    this.#size += 1;
  }

  give(holder: string): void {
    const left = this.of(holder) - 1;
    this.#size -= 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
  }
}

/** Who takes a share: a project, and the organisation or member that its part of the service counts for. */
export interface Tenant {
  readonly projectId: string;
  /** Of `accountOf` the project. */
  readonly accountId: string | null;
}

/** Tells accounts apart; a project without one is its own. */
export function accountNameOf({ accountId, projectId }: Tenant): string {
  return accountId ?? projectId;
}

/** How many times what is free a project may hold, and an organisation, which may have many projects. */
export interface TenantWeights {
  readonly project: number;
  readonly organisation: number;
}

/** Half of an amount for one project, and three fifths for one organisation. */
export const usualWeights = { project: 1, organisation: 1.5 } as const satisfies TenantWeights;
/** Four fifths of the places for streams for one project, and five sixths for one organisation. */
export const streamWeights = { project: 4, organisation: 5 } as const satisfies TenantWeights;

/** An amount that projects and organisations share: however many hold some of it, something is left for the next. */
export class FairAmount {
  readonly #max: number;
  readonly #weights: TenantWeights;
  readonly #ofProject = new Map<string, number>();
  readonly #ofAccount = new Map<string, number>();
  #held = 0;

  constructor(max: number, weights: TenantWeights) {
    this.#max = max;
    this.#weights = weights;
  }

  get held(): number {
    return this.#held;
  }

  get isFull(): boolean {
    return this.#held >= this.#max;
  }

  /** Whether the organisation has room for the amount: if not, none of its projects has. */
  hasRoomFor(tenant: Tenant, amount: number): boolean {
    const free = this.#max - this.#held;
    const held = this.#ofAccount.get(accountNameOf(tenant)) ?? 0;
    return amount <= free && fitsShare(held, amount, free, this.#weights.organisation);
  }

  /** @returns whether there was room for the amount; then `give` must follow */
  take(tenant: Tenant, amount: number): boolean {
    const free = this.#max - this.#held;
    const held = this.#ofProject.get(tenant.projectId) ?? 0;
    const hasRoom = this.hasRoomFor(tenant, amount) && fitsShare(held, amount, free, this.#weights.project);
    if (hasRoom) this.#add(tenant, amount);
    return hasRoom;
  }

  give(tenant: Tenant, amount: number): void {
    this.#add(tenant, -amount);
  }

  #add(tenant: Tenant, amount: number): void {
    this.#held += amount;
    addTo(this.#ofProject, tenant.projectId, amount);
    addTo(this.#ofAccount, accountNameOf(tenant), amount);
  }
}

function addTo(amounts: Map<string, number>, holder: string, amount: number): void {
  const sum = (amounts.get(holder) ?? 0) + amount;
  assert(sum >= 0, 'no more is given back than was taken');
  if (sum > 0) amounts.set(holder, sum);
  else amounts.delete(holder);
}
