import { FairAmount, type Tenant, usualWeights } from '../support/fair-share.ts';

/** Bytes of configurations that are on their way: each stream that is being sent one has a copy until its client has taken it. */
export const unsentBytesMax = 64 * 1024 * 1024;

/** A stream that has something to send. */
export interface Sender extends Tenant {
  /** Bytes of what it would send now. */
  readonly bytesToSend: number;
  /** There is room: it sends so many bytes now, and `give` must follow. */
  send(bytes: number): void;
}

/** Bounds the bytes that are being sent. A sender waits for its turn, and sends what is newest then. */
export class SendRoom {
  readonly #bytesMax: number;
  readonly #bytes: FairAmount;
  readonly #waiting = new Map<string, Set<Sender>>();
  #isPassingOn = false;

  constructor(bytesMax = unsentBytesMax) {
    this.#bytesMax = bytesMax;
    this.#bytes = new FairAmount(bytesMax, usualWeights);
  }

  get heldBytes(): number {
    return this.#bytes.held;
  }

  /** The most that one message may have: it is sent when nothing else is. */
  get messageBytesMax(): number {
    return Math.floor(this.#bytesMax / 2);
  }

  /** The sender sends now or later, once. A sender that waits already keeps its place. */
  ask(sender: Sender): void {
    const waiting = this.#waiting.get(sender.projectId) ?? new Set<Sender>();
    this.#waiting.set(sender.projectId, waiting);
    waiting.add(sender);
    this.#passOn();
  }

  /** The sender sends nothing any more. What it is sending is given back apart. */
  withdraw(sender: Sender): void {
    const waiting = this.#waiting.get(sender.projectId);
    if (waiting?.delete(sender) && waiting.size === 0) this.#waiting.delete(sender.projectId);
  }

  give(sender: Sender, bytes: number): void {
    this.#bytes.give(sender, bytes);
    this.#passOn();
  }

  /** Lets as many send as there is room for, of each project in the order of asking. */
  #passOn(): void {
    // A sender may give back at once.
    if (this.#isPassingOn) return;
    this.#isPassingOn = true;
    try {
      while (this.#passToOne());
    } finally {
      this.#isPassingOn = false;
    }
  }

  #passToOne(): boolean {
    for (const waiting of this.#waiting.values()) {
      const [sender] = waiting;
      if (sender === undefined) continue;
      const bytes = sender.bytesToSend;
      if (!this.#bytes.take(sender, bytes)) continue;
      this.withdraw(sender);
      sender.send(bytes);
      return true;
    }
    return false;
  }
}
