import { cutAt, toWellFormed } from '../support/code-points.ts';

/** How many problems one answer lists; the rest are counted. */
export const problemsListedMax = 50;
const quotedCodePointsMax = 64;

/**
 * Collects everything that is wrong with a request, so that it is told at once. Problems beyond the listed ones are
 * only counted: a body of a hundred thousand of them costs a counter each and no text.
 */
export class ProblemList {
  readonly #texts: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The first 50, in the order they were added. */
  get listed(): readonly string[] {
    return this.#texts;
  }

  /** @param text is called only for a problem that is listed. */
  add(text: () => string): void {
    this.#count++;
    if (this.#texts.length < problemsListedMax) this.#texts.push(text());
  }

  /** Counts problems that come after more than 50 others, and so are never listed. */
  addUnlisted(count: number): void {
    this.#count += count;
  }

  /** The first 50 in the order they were added, joined by `; `, then `; and N more` (decisions). */
  detail(): string {
    const rest = this.#count - this.#texts.length;
    return this.#texts.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
  }
}

/** A key or value as a message shows it: cut at 64 characters, and writable as UTF-8 (decisions). */
export function shown(text: string): string {
  return toWellFormed(cutAt(text, quotedCodePointsMax));
}

/** Names in a message, in their order; many are cut short and counted. */
export function shownList(names: readonly string[]): string {
  const listed = names.slice(0, problemsListedMax).map(shown).join(', ');
  return names.length > problemsListedMax ? `${listed} and ${names.length - problemsListedMax} more` : listed;
}
