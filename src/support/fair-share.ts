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

  of(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  take(holder: string): void {
    this.#held.set(holder, this.of(holder) + 1);
  }

  give(holder: string): void {
    const left = this.of(holder) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
  }
}
