import { cutAt, toWellFormed } from '../support/code-points.ts';

/** How many problems one answer lists; the others are counted. */
export const problemsListedMax = 50;
const quotedCodePointsMax = 64;

/**
 * Collects all problems of a request, so that they are reported at once. Problems beyond the listed ones are only
 * counted: a body with a hundred thousand of them costs a counter and no text.
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

  /** @param text called only for a problem that is listed. */
  add(text: () => string): void {
    this.#count++;
    if (this.#texts.length < problemsListedMax) this.#texts.push(text());
  }

  /** Counts problems after the 50 that are listed. */
  addUnlisted(count: number): void {
    this.#count += count;
  }

  /** The first 50 in the order they were added, joined by `; `, then `; and N more` (decisions). */
  detail(): string {
    const rest = this.#count - this.#texts.length;
    return this.#texts.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
  }
}

/** A key or value in a message: cut at 64 characters, and valid UTF-8 (decisions). */
export function shown(text: string): string {
  return toWellFormed(cutAt(text, quotedCodePointsMax));
}

/** Names in a message, in their order; a long list is cut and the rest counted. */
export function shownList(names: readonly string[]): string {
  const listed = names.slice(0, problemsListedMax).map(shown).join(', ');
  return names.length > problemsListedMax ? `${listed} and ${names.length - problemsListedMax} more` : listed;
}
