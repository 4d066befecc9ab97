import { FairAmount, type Tenant, usualWeights } from '../../support/fair-share.ts';

/** Memory of a worker for what its feeds keep: events that are made, changes that are remembered, audiences that are applied. */
const roomBytesMax = 64 * 1024 * 1024;

/** The room of a worker for what feeds keep; all of it can be made again. */
export class KeptRoom {
  readonly #bytes: FairAmount;

  constructor(bytesMax = roomBytesMax) {
    this.#bytes = new FairAmount(bytesMax, usualWeights);
  }

  get heldBytes(): number {
    return this.#bytes.held;
  }

  hold(tenant: Tenant): KeptHold {
    return new KeptHold(this.#bytes, tenant);
  }
}

/** What one feed has of the room. */
export class KeptHold {
  readonly #bytes: FairAmount;
  readonly #tenant: Tenant;
  #held = 0;
  #isOver = false;

  constructor(bytes: FairAmount, tenant: Tenant) {
    this.#bytes = bytes;
    this.#tenant = tenant;
  }

  /** @returns whether there is room for so many bytes in all; otherwise it holds what it held */
  resize(bytes: number): boolean {
    if (this.#isOver) return false;
    const more = bytes - this.#held;
    if (more > 0 && !this.#bytes.take(this.#tenant, more)) return false;
    if (more < 0) this.#bytes.give(this.#tenant, -more);
    this.#held = bytes;
    return true;
  }

  /** Gives back all that it has; there is no room for it any more. */
  end(): void {
    this.resize(0);
    this.#isOver = true;
  }
}
