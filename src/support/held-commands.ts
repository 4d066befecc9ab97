import { monotonicMs } from './monotonic-clock.ts';

/**
 * While evaluations keep the workers busy, a worker sends changes at least this far apart. Waking the writer and
 * committing takes some 0.3 ms for any number of changes, and evaluations need that time. A change then waits at most
 * this much longer.
 */
export const commandPaceMs = 20;

/**
 * Commands on their way to another thread. Those of one turn of the event loop go in one message; while commands are
 * paced, those of several turns do. Bounded by the requests in flight, each of which holds at most one.
 */
export class HeldCommands<Command> {
  readonly #send: (commands: readonly Command[]) => void;
  readonly #isPaced: () => boolean;
  #held: Command[] = [];
  #isScheduled = false;

  constructor(send: (commands: readonly Command[]) => void, isPaced: () => boolean = () => false) {
    this.#send = send;
    this.#isPaced = isPaced;
  }

  add(command: Command): void {
    this.#held.push(command);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // By a clock that all threads share: several workers send at the same moments, so their changes share a group
    // commit.
    const waitMs = this.#isPaced() ? commandPaceMs - (monotonicMs() % commandPaceMs) : 0;
    if (waitMs > 0) setTimeout(() => this.flush(), Math.ceil(waitMs));
    else setImmediate(() => this.flush());
  }

  /** Sends the held commands. */
  flush(): void {
    this.#isScheduled = false;
    if (this.#held.length === 0) return;
    const commands = this.#held;
    this.#held = [];
    this.#send(commands);
  }
}

/** Up to this size, copying costs less than transferring the memory. */
const copiedBytesMax = 16 * 1024;

/**
 * The memory of long bytes that is transferred to another thread instead of being copied: the transfer delays nobody
 * and takes no second megabyte. The sender can no longer use the bytes.
 * @param all each at the beginning of memory of its own, or null
 * @returns the transfer list of a message
 */
export function transferredBytes(all: readonly (Uint8Array | null)[]): ArrayBuffer[] {
  return all.flatMap((bytes) => {
    if (bytes === null || bytes.length <= copiedBytesMax) return [];
    const { buffer, byteOffset } = bytes;
    const isOwn = buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength < 2 * bytes.length;
    return isOwn ? [buffer] : [];
  });
}
