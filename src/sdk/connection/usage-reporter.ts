import { randomUUID } from 'node:crypto';
import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { FlagSet } from '../configuration/flag-set.ts';
import type { Timings } from '../timings.ts';
import { Backoff } from './backoff.ts';
import { readText, send } from './request.ts';
import type { SyncAddress } from './sync-address.ts';

/** Flags in one report. */
const reportFlagsMax = 500;
/** A report that could not be sent so often is dropped: its counts are lost, and nothing waits for them. */
const attemptsMax = 5;
/** What is read of the answer to a report. */
const answerBytesMax = 16 * 1024;

/**
 * Tells the service how often which flag was on and off here, so that its charts and its search for stale flags know of
 * it. Counts lie beside the compiled flags; of reports there is one at a time.
 */
export class UsageReporter {
  readonly #address: SyncAddress;
  readonly #flags: FlagSet;
  readonly #timings: Timings;
  #report: SyncUsage | null = null;
  #attempts = 0;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;

  constructor(address: SyncAddress, flags: FlagSet, timings: Timings) {
    this.#address = address;
    this.#flags = flags;
    this.#timings = timings;
  }

  start(): void {
    // The first one at any time of the interval, so that clients that start together report apart.
    this.#schedule(this.#timings.usageMs * (0.1 + 0.9 * Math.random()));
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      void this.flush().then(() => {
        if (this.#timer !== null) this.#schedule(Backoff.about(this.#timings.usageMs));
      });
    }, ms).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Sends what was counted. Never rejects. */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      this.#report ??= this.#collect();
      if (this.#report === null) return;
      this.#attempts += 1;
      const isDone = (await this.#send(this.#report)) || this.#attempts >= attemptsMax;
      if (!isDone) return;
      this.#report = null;
      this.#attempts = 0;
    }
  }

  /** Takes the counts of some flags. */
  #collect(): SyncUsage | null {
    const flags: SyncUsage['flags'][number][] = [];
    for (const { sent, tally } of this.#flags.flags) {
      const { on, off } = tally;
      if (on + off === 0) continue;
      flags.push({ id: sent.id, on, off });
      tally.on = 0;
      tally.off = 0;
      if (flags.length === reportFlagsMax) break;
    }
    return flags.length === 0 ? null : { reportId: randomUUID(), flags };
  }

  /** @returns whether the report is done with: counted, or refused for good */
  async #send(report: SyncUsage): Promise<boolean> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.#timings.answerMs).unref();
    try {
      const answer = await send(this.#address.usage, {
        method: 'POST',
        headers: { ...this.#address.headers, 'content-type': 'application/json' },
        body: JSON.stringify(report),
        signal: controller.signal,
      });
      const { statusCode: status = 0 } = answer;
      await readText(answer, answerBytesMax);
      return status < 500 && status !== 429;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
