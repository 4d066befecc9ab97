import { monotonicMs } from './monotonic-clock.ts';

/**
 * While evaluations keep the workers busy, changes leave a worker at least this far apart: waking the writer and
 * committing cost some 0.3 ms however many changes share them, and evaluations need that time. A change then waits this
 * much longer, at most.
 */
export const commandPaceMs = 20;

/**
 * Commands on their way to another thread: those of one turn of the event loop go as one message, and while they are paced
 * those of several. Bounded by the requests in flight: each holds one at most.
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
    // Of a clock that all threads share: those of several workers go at the same moments, and share a commit.
    const waitMs = this.#isPaced() ? commandPaceMs - (monotonicMs() % commandPaceMs) : 0;
    if (waitMs > 0) setTimeout(() => this.flush(), Math.ceil(waitMs));
    else setImmediate(() => this.flush());
  }

  /** Sends what is held. */
  flush(): void {
    this.#isScheduled = false;
    if (this.#held.length === 0) return;
    const commands = this.#held;
    this.#held = [];
    this.#send(commands);
  }
}

/** Copying fewer bytes costs less than handing their memory over. */
const copiedBytesMax = 16 * 1024;

/**
 * Memory of long bytes that may be handed to another thread instead of being copied for it, which holds nobody up and
 * takes no second megabyte. The sender has nothing left of them.
 * @param all each with its memory to itself, or null
 * @returns for a message's list of what it transfers
 */
export function transferredBytes(all: readonly (Uint8Array | null)[]): ArrayBuffer[] {
  return all.flatMap((bytes) => {
    if (bytes === null || bytes.length <= copiedBytesMax) return [];
    const { buffer } = bytes;
    return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length ? [buffer] : [];
  });
}
