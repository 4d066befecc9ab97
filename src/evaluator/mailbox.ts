/**
 * A mailbox: the ring in shared memory between one gateway and one evaluator.
 *
 *   control, Int32, one cell a cache line:      slots, `slotBytes` each:
 *     head      published by the gateway          0  u8   kind of request
 *     done      published by the evaluator        1  u8   reason of the answer
 *     asleep    1 while the evaluator waits       2  u16  length of the id
 *     wake      1 when the gateway asks for a     4  u16  length of the query
 *               message after the next batch      6  u16  status of the answer
 *     progress  moves while the evaluator lives   8  u16  length of the answer's body
 *     abandoned 1 when nobody waits any more     16  …    id and query in (ASCII); body out (UTF-8)
 *
 * `head` and `done` count slots for ever and wrap at 2³²; the slot of a count is its low bits. A slot belongs to the
 * evaluator from the moment `head` passes it until `done` does. Plain writes to a slot are ordered by the atomic
 * stores of the two counters. Answers come in the order of the requests.
 */
const cacheLineCells = 16;
export const headCell = 0;
export const doneCell = cacheLineCells;
export const asleepCell = cacheLineCells * 2;
export const wakeCell = cacheLineCells * 3;
export const progressCell = cacheLineCells * 4;
export const abandonedCell = cacheLineCells * 5;
const controlCells = cacheLineCells * 6;

export const slotBytes = 1024;
export const payloadOffset = 16;
/** An id and query, or a body, that is longer goes through the message port. */
export const payloadBytesMax = slotBytes - payloadOffset;

/** What a slot asks for. `portMessage`: the next message of the port, so that both ways keep one order of service. */
export const slotKinds = { evaluateFlag: 1, portMessage: 2 } as const;

/** The status of a slot whose answer comes through the port instead, because it does not fit. */
export const answeredByPort = 0;

/** What crosses to the evaluator's thread; a `Mailbox` is a view of it. */
export interface MailboxMemory {
  readonly control: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  readonly slotCount: number;
}

/** @param slotCountMin rounded up to a power of two */
export function createMailboxMemory(slotCountMin: number): MailboxMemory {
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(2, slotCountMin)));
  return {
    control: new SharedArrayBuffer(controlCells * Int32Array.BYTES_PER_ELEMENT),
    slots: new SharedArrayBuffer(slotCount * slotBytes),
    slotCount,
  };
}

/** Typed views of a mailbox, the same on both sides. */
export interface Mailbox {
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly words: Uint16Array<SharedArrayBuffer>;
  readonly slotCount: number;
  readonly slotMask: number;
}

export function openMailbox(memory: MailboxMemory): Mailbox {
  return {
    control: new Int32Array(memory.control),
    bytes: new Uint8Array(memory.slots),
    words: new Uint16Array(memory.slots),
    slotCount: memory.slotCount,
    slotMask: memory.slotCount - 1,
  };
}

/** Offsets of a slot's 16-bit fields, in words from the slot's start. */
export const idLengthWord = 1;
export const queryLengthWord = 2;
export const statusWord = 3;
export const bodyLengthWord = 4;
export const kindByte = 0;
export const reasonByte = 1;
