/**
 * Whether a holder may take another of the shared places: it must hold fewer than `weight` times the free ones. So
 * places are left however many one holder asks for: with a weight of 1, half of them, and a third for the next holder.
 * No place is reserved, and a holder that is alone gets many (Choudhury and Hahne, dynamic queue length thresholds).
 */
export function hasShare(held: number, free: number, weight: number): boolean {
  return held < free * weight;
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
