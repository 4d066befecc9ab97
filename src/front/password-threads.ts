import { Piscina } from 'piscina';
import { threadEntries } from '../entry-files.ts';
import type { Logger } from '../observability/logger.ts';
import type { PasswordCheck } from '../passwords/password-worker.ts';
import type { PasswordHashing } from './password-queue.ts';

/** Linux gives such a thread a tenth of the time of one with normal priority, where both want the same core. */
const niceIncrement = 10;
/** A thread without work ends after this time. */
const idleMs = 60_000;
/** Hashing takes place outside of V8's heap. */
const heapBytes = 16 * 2 ** 20;

/**
 * Threads of low priority that hash passwords. Systems other than Linux have a priority for the process only, so there
 * the threads have normal priority.
 */
export class PasswordThreads implements PasswordHashing {
  readonly #log: Logger;
  readonly #threadsMax: number;
  /** Null until there is something to hash. */
  #pool: Piscina | null = null;

  /** @param threadsMax threads at most, and so hashes that are computed at once */
  constructor(threadsMax: number, log: Logger) {
    this.#threadsMax = threadsMax;
    this.#log = log;
  }

  hash(password: string): Promise<string> {
    return this.#open().run(password, { name: 'hash' });
  }

  isRight(passwordHash: string, password: string): Promise<boolean> {
    const asked: PasswordCheck = { passwordHash, password };
    return this.#open().run(asked, { name: 'check' });
  }

  /** Ends the threads when they have done their work. */
  async end(): Promise<void> {
    await this.#pool?.close({ force: false });
  }

  #open(): Piscina {
    this.#pool ??= this.#create();
    return this.#pool;
  }

  #create(): Piscina {
    const pool = new Piscina({
      filename: threadEntries.passwords.href,
      minThreads: 0,
      maxThreads: this.#threadsMax,
      idleTimeout: idleMs,
      niceIncrement: process.platform === 'linux' ? niceIncrement : 0,
      resourceLimits: { maxOldGenerationSizeMb: heapBytes / 2 ** 20 },
    });
    // A thread that dies reports the fault through its task; the pool repeats it here.
    pool.on('error', (fault: unknown) => this.#log.error({ err: fault }, 'password thread died'));
    return pool;
  }
}
