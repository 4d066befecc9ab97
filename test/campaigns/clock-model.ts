export const hourMs = 60 * 60 * 1000;
export const yearMs = 365 * 24 * hourMs;
const denialEmailIntervalMs = 24 * hourMs;
const answersKeptMs = 24 * hourMs;
/** Model and server read their clocks at most this far apart. Every tested time lies further from a boundary. */
const toleranceMs = 60_000;

/**
 * A model of what Burgee documents about the wall clock: expiry, denial emails, idempotency keys, `updatedAt`. Its
 * clock is moved together with the server's. A token has expired from the ms of its end on; so has a trial.
 */
export class ClockModel {
  offsetMs = 0;
  #updatedAt = 0;
  readonly #emailedAt = new Map<string, number>();
  readonly #emails = new Map<string, number>();
  #kept: { readonly at: number; readonly answer: string } | null = null;
  /** How many creates with the one idempotency key made a flag. */
  creations = 0;

  get now(): number {
    return Date.now() + this.offsetMs;
  }

  isOver(endsAt: number): boolean {
    return this.now >= endsAt;
  }

  /** Denial emails by token. */
  get emails(): ReadonlyMap<string, number> {
    return this.#emails;
  }

  /** At most one email in 24 hours, and none while the clock lies before the last one. */
  deny(tokenId: string): void {
    const { now } = this;
    const emailedAt = this.#emailedAt.get(tokenId);
    if (emailedAt !== undefined && now - emailedAt < denialEmailIntervalMs) return;
    this.#emailedAt.set(tokenId, now);
    this.#emails.set(tokenId, (this.#emails.get(tokenId) ?? 0) + 1);
  }

  /**
   * For 24 hours, and while the clock is before the first create, a create with the same key gets the first answer
   * again.
   */
  create(answer: string): string | null {
    const { now } = this;
    const kept = this.#kept;
    if (kept !== null && now - kept.at < answersKeptMs) {
      return answer === kept.answer ? null : `a key of ${now - kept.at} ms got ${answer}, not ${kept.answer}`;
    }
    if (answer === kept?.answer) return `a key of ${now - kept.at} ms got its first answer again`;
    this.#kept = { at: now, answer };
    this.creations += 1;
    return null;
  }

  /**
   * The new value is the larger of the clock and the last value plus one.
   *
   * @returns the problem; null if there is none
   */
  change(updatedAt: number): string | null {
    const last = this.#updatedAt;
    this.#updatedAt = updatedAt;
    if (updatedAt <= last) return `updatedAt fell from ${last} to ${updatedAt}`;
    const isClock = Math.abs(updatedAt - this.now) < toleranceMs;
    const isNext = updatedAt === last + 1 && last > this.now - toleranceMs;
    return isClock || isNext
      ? null
      : `updatedAt is ${updatedAt}; the clock says ${this.now}, before it was ${last}`;
  }
}
