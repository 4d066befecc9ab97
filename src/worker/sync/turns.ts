/** At most so many at once, and half of them for one project: the others wait in the order of their arrival. */
export class Turns {
  readonly #max: number;
  readonly #ofProjectMax: number;
  readonly #held = new Map<string, number>();
  readonly #waiting: { readonly projectId: string; readonly begin: () => void }[] = [];
  #count = 0;

  constructor(max: number) {
    this.#max = max;
    this.#ofProjectMax = Math.max(1, Math.floor(max / 2));
  }

  /** @param begin called now or later, once; `give` must follow */
  take(projectId: string, begin: () => void): void {
    this.#waiting.push({ projectId, begin });
    this.#admit();
  }

  give(projectId: string): void {
    this.#count -= 1;
    const held = (this.#held.get(projectId) ?? 1) - 1;
    if (held === 0) this.#held.delete(projectId);
    else this.#held.set(projectId, held);
    this.#admit();
  }

  #admit(): void {
    while (this.#count < this.#max) {
      const next = this.#waiting.findIndex(({ projectId }) => this.#heldBy(projectId) < this.#ofProjectMax);
      const [turn] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (turn === undefined) return;
      this.#count += 1;
      this.#held.set(turn.projectId, this.#heldBy(turn.projectId) + 1);
      turn.begin();
    }
  }

  #heldBy(projectId: string): number {
    return this.#held.get(projectId) ?? 0;
  }
}
