import { findsId } from '../../domain/console/finds-id.ts';

/** How well a name or id fits a search, best first. */
const fits = ['equal', 'begins', 'contains'] as const;
export type Fit = (typeof fits)[number];

/** The words of a search. Each must occur, in upper or lower case. */
export class Sought {
  readonly #text: string;
  readonly #words: readonly string[];

  /** @param text trimmed */
  constructor(text: string) {
    this.#text = text.toLowerCase();
    this.#words = this.#text.split(/\s+/).filter((word) => word !== '');
  }

  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  /** @returns null when a word occurs in neither */
  fitOf(name: string, id = ''): Fit | null {
    const lowerName = name.toLowerCase();
    if (!this.#words.every((word) => lowerName.includes(word) || findsId(word, id))) return null;
    if (lowerName === this.#text || id.toLowerCase() === this.#text) return 'equal';
    return lowerName.startsWith(this.#text) ? 'begins' : 'contains';
  }
}

/** The results of one kind, best first, up to a bound for each fit. */
export class Shortlist<Item> {
  readonly #max: number;
  readonly #byFit: Readonly<Record<Fit, Item[]>> = { equal: [], begins: [], contains: [] };
  /** Some did not fit in. */
  isCut = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(fit: Fit | null, item: () => Item): void {
    if (fit === null) return;
    const items = this.#byFit[fit];
    if (items.length < this.#max) items.push(item());
    else this.isCut = true;
  }

  /** @returns at most `max`, by fit, then in the order in which they were found */
  take(): readonly { readonly fit: Fit; readonly item: Item }[] {
    const all = fits.flatMap((fit) => this.#byFit[fit].map((item) => ({ fit, item })));
    if (all.length > this.#max) this.isCut = true;
    return all.slice(0, this.#max);
  }
}
