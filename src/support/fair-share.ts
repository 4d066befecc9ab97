/**
 * Whether a holder may have another place of a room that all share: as long as it has fewer than are free, times a
 * weight. However many one holder asks for, places are left: with a weight of 1 half of them, for the next holder a third.
 * Nothing is set aside, and a holder that is alone gets much (Choudhury and Hahne, dynamic queue length thresholds).
 */
export function hasShare(held: number, free: number, weight: number): boolean {
  return held < free * weight;
}

/** The same for an amount: what a holder has, with what it wants, is to be no more than what is free, times its weight. */
export function fitsShare(held: number, wanted: number, free: number, weight: number): boolean {
  return held + wanted <= free * weight;
}

/** How many places each holder has. */
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
