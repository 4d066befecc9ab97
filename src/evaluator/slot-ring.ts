import {
  answeredByPort,
  asleepCell,
  bodyLengthWord,
  doneCell,
  headCell,
  idLengthWord,
  kindByte,
  type Mailbox,
  payloadOffset,
  queryLengthWord,
  slotBytes,
  slotKinds,
  statusWord,
  wakeCell,
} from './mailbox.ts';
import type { EvaluationReceiver } from './receiver-protocol.ts';

const highestAscii = 0x7e;

/**
 * The gateway's side of the ring: fills slots, publishes them together, and hands the answers out in order. It never
 * waits; whoever owns it says when to publish and when to look.
 */
export class SlotRing {
  readonly #mailbox: Mailbox;
  /** By slot: who waits, and until when. A null has been answered already, or is a message's announcement. */
  readonly #waiting: (EvaluationReceiver | null)[];
  readonly #deadlines: Float64Array;
  /** Who waits for an answer that did not fit its slot, by the slot's count. */
  readonly #oversized = new Map<number, EvaluationReceiver>();
  #filled = 0;
  #published = 0;
  #drained = 0;
  #expired = 0;

  constructor(mailbox: Mailbox) {
    this.#mailbox = mailbox;
    this.#waiting = new Array<EvaluationReceiver | null>(mailbox.slotCount).fill(null);
    this.#deadlines = new Float64Array(mailbox.slotCount);
  }

  /** Slots that are not done. */
  get inFlight(): number {
    return (this.#filled - this.#drained) | 0;
  }

  get hasRoom(): boolean {
    return this.inFlight < this.#mailbox.slotCount;
  }

  /** @returns false when the text is no slot text; then nothing was taken. The caller has seen to room and length. */
  fillEvaluation(receiver: EvaluationReceiver, flagId: string, query: string, deadline: number): boolean {
    const slot = this.#filled & this.#mailbox.slotMask;
    const offset = slot * slotBytes;
    const queryStart = offset + payloadOffset + flagId.length;
    if (!this.#copy(flagId, offset + payloadOffset) || !this.#copy(query, queryStart)) return false;
    const { bytes, words } = this.#mailbox;
    bytes[offset + kindByte] = slotKinds.evaluateFlag;
    words[(offset >> 1) + idLengthWord] = flagId.length;
    words[(offset >> 1) + queryLengthWord] = query.length;
    this.#fill(slot, receiver, deadline);
    return true;
  }

  /** Announces the port's next message. */
  fillAnnouncement(deadline: number): void {
    const slot = this.#filled & this.#mailbox.slotMask;
    this.#mailbox.bytes[slot * slotBytes + kindByte] = slotKinds.portMessage;
    this.#fill(slot, null, deadline);
  }

  #copy(text: string, offset: number): boolean {
    const { bytes } = this.#mailbox;
    let highest = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      bytes[offset + at] = code;
      if (code > highest) highest = code;
    }
    return highest <= highestAscii;
  }

  #fill(slot: number, receiver: EvaluationReceiver | null, deadline: number): void {
    this.#waiting[slot] = receiver;
    this.#deadlines[slot] = deadline;
    this.#filled = (this.#filled + 1) | 0;
  }

  /** Everything that was filled since the last time goes out together. */
  publish(): void {
    if (this.#published === this.#filled) return;
    const { control } = this.#mailbox;
    this.#published = this.#filled;
    Atomics.store(control, headCell, this.#filled);
    if (Atomics.load(control, asleepCell) === 1) Atomics.notify(control, headCell);
  }

  /** Takes what is done; when more is to come, asks for a message, and looks again in case it was done meanwhile. */
  drainAndAsk(): void {
    const { control } = this.#mailbox;
    this.#drain();
    if (this.#drained === this.#published) return;
    Atomics.store(control, wakeCell, 1);
    if (Atomics.load(control, doneCell) !== this.#drained) this.#drain();
  }

  #drain(): void {
    const done = Atomics.load(this.#mailbox.control, doneCell);
    while (this.#drained !== done) {
      const slot = this.#drained & this.#mailbox.slotMask;
      const receiver = this.#waiting[slot] ?? null;
      this.#waiting[slot] = null;
      if (receiver !== null) this.#handOut(slot * slotBytes, receiver);
      this.#drained = (this.#drained + 1) | 0;
    }
    if (((this.#drained - this.#expired) | 0) > 0) this.#expired = this.#drained;
  }

  #handOut(offset: number, receiver: EvaluationReceiver): void {
    const { bytes, words } = this.#mailbox;
    const word = offset >> 1;
    const status = words[word + statusWord] as number;
    if (status === answeredByPort) {
      this.#oversized.set(this.#drained, receiver);
      return;
    }
    const start = offset + payloadOffset;
    receiver.receiveEvaluation(
      status,
      bytes.subarray(start, start + (words[word + bodyLengthWord] as number)),
    );
  }

  /** Takes the answer of a slot that came by port: before or after the slot was drained. */
  receiveOversized(count: number, status: number, body: Uint8Array): void {
    const slot = count & this.#mailbox.slotMask;
    const drained = this.#oversized.get(count);
    if (drained !== undefined) {
      this.#oversized.delete(count);
      drained.receiveEvaluation(status, body);
    } else if (((count - this.#drained) | 0) >= 0) {
      const receiver = this.#waiting[slot];
      this.#waiting[slot] = null;
      receiver?.receiveEvaluation(status, body);
    }
  }

  /** Refuses what has waited past its deadline. Its slot stays taken until the evaluator has passed it. */
  expire(now: number, detail: string): void {
    while (((this.#filled - this.#expired) | 0) > 0) {
      const slot = this.#expired & this.#mailbox.slotMask;
      if ((this.#deadlines[slot] as number) > now) return;
      this.#refuse(slot, detail);
      this.#expired = (this.#expired + 1) | 0;
    }
  }

  #refuse(slot: number, detail: string): void {
    const receiver = this.#waiting[slot];
    this.#waiting[slot] = null;
    receiver?.receiveUnavailable(detail);
  }

  /** Refuses everything: the evaluator is gone. */
  refuseAll(detail: string): void {
    for (let slot = 0; slot < this.#waiting.length; slot += 1) this.#refuse(slot, detail);
    for (const receiver of this.#oversized.values()) receiver.receiveUnavailable(detail);
    this.#oversized.clear();
    this.#drained = this.#filled;
    this.#published = this.#filled;
    this.#expired = this.#filled;
  }
}
