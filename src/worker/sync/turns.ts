import { FairAmount, type Tenant, usualWeights } from '../../support/fair-share.ts';
import { TenantTurns } from '../../support/tenant-turns.ts';

/** Who waits for a turn. */
export interface TurnHolder {
  readonly tenant: Tenant;
  /** It has its turn: `give` must follow, once. */
  begin(): void;
}

/** At most so many at once, of which projects and organisations have their shares; the others wait, organisation by organisation. */
export class Turns {
  readonly #turns: FairAmount;
  readonly #waiting = new TenantTurns<TurnHolder>();
  #isAdmitting = false;

  constructor(max: number) {
    this.#turns = new FairAmount(max, usualWeights);
  }

  /** The holder begins now or later, unless it is withdrawn. */
  ask(holder: TurnHolder): void {
    this.#waiting.add(holder.tenant, holder);
    this.#admit();
  }

  /** The holder wants no turn any more. One that has begun gives its turn back. */
  withdraw(holder: TurnHolder): void {
    this.#waiting.delete(holder.tenant, holder);
  }

  give({ tenant }: TurnHolder): void {
    this.#turns.give(tenant, 1);
    this.#admit();
  }

  #admit(): void {
    // A holder may give its turn back at once.
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    try {
      while (!this.#turns.isFull) {
        const next = this.#waiting.take(this.#turns);
        if (next === undefined) return;
        next.begin();
      }
    } finally {
      this.#isAdmitting = false;
    }
  }
}
