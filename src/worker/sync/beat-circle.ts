import { monotonicMs } from '../../support/monotonic-clock.ts';

export const beatEveryMs = 15_000;
/** How often it is looked whose turn it is. */
export const tickMs = 50;

/** Gives each member a moment of its own in each round, at random: many that came at once are not due at once. */
export class BeatCircle<Member> {
  readonly #slots: Set<Member>[] = Array.from({ length: beatEveryMs / tickMs }, () => new Set());
  readonly #slotOf = new Map<Member, Set<Member>>();
  #at = 0;
  #turnedAt = monotonicMs();

  add(member: Member): void {
    if (this.#slotOf.size === 0) this.#turnedAt = monotonicMs();
    const slot = this.#slots[Math.floor(Math.random() * this.#slots.length)] as Set<Member>;
    slot.add(member);
    this.#slotOf.set(member, slot);
  }

  remove(member: Member): void {
    this.#slotOf.get(member)?.delete(member);
    this.#slotOf.delete(member);
  }

  /** @returns the members whose moment came since the last call */
  *due(): Generator<ReadonlySet<Member>> {
    const now = monotonicMs();
    for (; now - this.#turnedAt >= tickMs; this.#turnedAt += tickMs) {
      const slot = this.#slots[this.#at] as Set<Member>;
      this.#at = (this.#at + 1) % this.#slots.length;
      if (slot.size > 0) yield slot;
    }
  }
}
