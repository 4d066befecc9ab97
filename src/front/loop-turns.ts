import type { Tenant } from '../support/fair-share.ts';
import { TenantTurns } from '../support/tenant-turns.ts';

/** Lets one of those that wait go on in each turn of the event loop: between two, everything else is done. */
export class LoopTurns {
  readonly #waiting = new TenantTurns<{ readonly begin: () => void }>();

  /** Resolves when it is the tenant's turn. */
  wait(tenant: Tenant): Promise<void> {
    return new Promise((begin) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#next());
      this.#waiting.add(tenant, { begin });
    });
  }

  #next(): void {
    this.#waiting.take()?.begin();
    if (this.#waiting.size > 0) setImmediate(() => this.#next());
  }
}
