/**
 * Whether a client may take another of the shared slots: it must hold fewer than `weight` times the free ones. So some
 * slots stay free however many one client asks for: with a weight of 1, half of them, and a third after a second client.
 * No slot is reserved, and a client that is alone gets many (Choudhury and Hahne, dynamic queue length thresholds).
 */
export function hasShare(held: number, free: number, weight: number): boolean {
  return held < free * weight;
}

/** Counts the slots of each client. */
export class HeldSlots {
  readonly #held = new Map<string, number>();
  #size = 0;

  /** The slots that all clients hold. */
  get size(): number {
    return this.#size;
  }

  of(client: string): number {
    return this.#held.get(client) ?? 0;
  }

  /** @param max slots of all clients. @returns whether the client may take another one, as `hasShare` decides */
  hasShareFor(client: string, max: number, weight: number): boolean {
    return hasShare(this.of(client), max - this.#size, weight);
  }

  take(client: string): void {
    this.#held.set(client, this.of(client) + 1);
    this.#size += 1;
  }

  give(client: string): void {
    const left = this.of(client) - 1;
    this.#size -= 1;
    if (left > 0) this.#held.set(client, left);
    else this.#held.delete(client);
  }
}

/** Whose quotas a request uses: those of a project, and of its account. */
export interface Tenant {
  readonly projectId: string;
  /** The project's account, by `accountOf`. */
  readonly accountId: string | null;
}

/** The name under which an account is counted. A project without an account is counted by its id. */
export function accountNameOf({ accountId, projectId }: Tenant): string {
  return accountId ?? projectId;
}
