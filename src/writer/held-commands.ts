import { monotonicMs } from '../support/monotonic-clock.ts';
import type { WriterCommand } from './writer-protocol.ts';

/**
 * While evaluations keep the gateway busy, commands go to the writer at least this far apart: waking its thread and
 * committing cost some 0.3 ms however many changes share them, and evaluations need that time. A change then waits this
 * much longer, at most.
 */
export const commandPaceMs = 20;

/**
 * Commands on their way to the writer: those of one turn of the event loop go as one message, and while they are paced
 * those of several. Bounded by the client, which counts every command that it hands over.
 */
export class HeldCommands {
  isPaced = false;
  readonly #send: (commands: readonly WriterCommand[]) => void;
  #held: WriterCommand[] = [];
  #sentAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(send: (commands: readonly WriterCommand[]) => void) {
    this.#send = send;
  }

  add(command: WriterCommand): void {
    this.#held.push(command);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const waitMs = this.isPaced ? this.#sentAt + commandPaceMs - monotonicMs() : 0;
    if (waitMs > 0) setTimeout(() => this.flush(), Math.ceil(waitMs));
    else setImmediate(() => this.flush());
  }

  /** Sends what is held. */
  flush(): void {
    this.#isScheduled = false;
    if (this.#held.length === 0) return;
    const commands = this.#held;
    this.#held = [];
    this.#sentAt = monotonicMs();
    this.#send(commands);
  }
}
