import { FairAmount, type Tenant } from '../../support/fair-share.ts';

/** Half of the turns for one project, and three fifths for one organisation. */
const weights = { project: 1, organisation: 1.5 } as const;

/** At most so many at once, of which projects and organisations have their shares: the others wait in the order of their arrival. */
export class Turns {
  readonly #turns: FairAmount;
  readonly #waiting: { readonly tenant: Tenant; readonly begin: () => void }[] = [];

  constructor(max: number) {
    this.#turns = new FairAmount(max, weights);
  }

  /** @param begin called now or later, once; `give` must follow */
  take(tenant: Tenant, begin: () => void): void {
    this.#waiting.push({ tenant, begin });
    this.#admit();
  }

  give(tenant: Tenant): void {
    this.#turns.give(tenant, 1);
    this.#admit();
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting.findIndex(({ tenant }) => this.#turns.take(tenant, 1));
      const [turn] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (turn === undefined) return;
      turn.begin();
    }
  }
}
