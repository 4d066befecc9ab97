import { Buffer } from 'node:buffer';
import type { FlagEvaluator } from './flag-evaluator.ts';
import {
  answeredByPort,
  bodyLengthWord,
  doneCell,
  headCell,
  idLengthWord,
  kindByte,
  type Mailbox,
  payloadBytesMax,
  payloadOffset,
  queryLengthWord,
  reasonByte,
  slotBytes,
  slotKinds,
  statusWord,
} from './mailbox.ts';
import type { ReportFault } from './report-fault.ts';

interface SlotServerHooks {
  /** Takes the port's next message, which a slot has announced. */
  takeMessage(): void;
  /** Answers through the port what does not fit the slot that has this count. */
  sendOversized(count: number, status: number, body: Uint8Array): void;
  readonly reportFault: ReportFault;
}

/** Node's own method, which its type declarations leave out: half the time of `toString('latin1', …)` on short text. */
interface Latin1Source {
  latin1Slice(start: number, end: number): string;
}

/** The evaluator's side of the ring: takes published slots in order and leaves the answers in them. */
export class SlotServer {
  readonly #mailbox: Mailbox;
  readonly #text: Latin1Source;
  readonly #evaluator: FlagEvaluator;
  readonly #hooks: SlotServerHooks;
  #done = 0;

  constructor(mailbox: Mailbox, evaluator: FlagEvaluator, hooks: SlotServerHooks) {
    this.#mailbox = mailbox;
    this.#text = Buffer.from(mailbox.bytes.buffer) as unknown as Latin1Source;
    this.#evaluator = evaluator;
    this.#hooks = hooks;
  }

  /** @returns how many slots are published and not served */
  countWaiting(): number {
    return (Atomics.load(this.#mailbox.control, headCell) - this.#done) | 0;
  }

  /** Serves so many slots, and publishes the answers at once. */
  serve(count: number): void {
    const { control, slotMask } = this.#mailbox;
    for (let served = 0; served < count; served += 1) {
      this.#serveSlot((this.#done & slotMask) * slotBytes);
      this.#done = (this.#done + 1) | 0;
    }
    Atomics.store(control, doneCell, this.#done);
  }

  #serveSlot(offset: number): void {
    if (this.#mailbox.bytes[offset + kindByte] === slotKinds.portMessage) this.#hooks.takeMessage();
    else this.#evaluateSlot(offset);
  }

  #evaluateSlot(offset: number): void {
    const { bytes, words } = this.#mailbox;
    const word = offset >> 1;
    const idStart = offset + payloadOffset;
    const queryStart = idStart + (words[word + idLengthWord] as number);
    const queryEnd = queryStart + (words[word + queryLengthWord] as number);
    const evaluator = this.#evaluator;
    try {
      evaluator.evaluate(this.#text.latin1Slice(idStart, queryStart), bytes, queryStart, queryEnd);
    } catch (fault) {
      this.#hooks.reportFault(fault, 'evaluate-flag');
      evaluator.fail();
    }
    const { body } = evaluator;
    if (body.length > payloadBytesMax) {
      words[word + statusWord] = answeredByPort;
      this.#hooks.sendOversized(this.#done, evaluator.status, body);
      return;
    }
    bytes.set(body, idStart);
    bytes[offset + reasonByte] = evaluator.reason;
    words[word + bodyLengthWord] = body.length;
    words[word + statusWord] = evaluator.status;
  }
}
