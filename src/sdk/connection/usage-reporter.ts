import { randomUUID } from 'node:crypto';
import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { ClientFlag, FlagSet } from '../configuration/flag-set.ts';
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

/** What became of a report. `refused`: the token is not valid, so that asking soon is of no use. */
type Outcome = 'counted' | 'dropped' | 'unsent' | 'refused';

/**
 * Tells the service how often which flag was on and off here, so that its charts and its search for stale flags know of
 * it. Counts lie beside the compiled flags; of reports there is one at a time. Each period has one pass over the flags,
 * however busy the program is.
 */
export class UsageReporter {
  readonly #address: SyncAddress;
  readonly #flags: FlagSet;
  readonly #timings: Timings;
  readonly #stopped = new AbortController();
  /** The one that is being sent, or could not be sent yet. */
  #report: SyncUsage | null = null;
  #attempts = 0;
  #isRefused = false;
  #timer: NodeJS.Timeout | undefined;
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
    if (this.#stopped.signal.aborted) return;
    this.#timer = setTimeout(() => {
      void this.#flush().then(() => {
        const { refusedMs, usageMs } = this.#timings;
        this.#schedule(Backoff.about(this.#isRefused ? refusedMs : usageMs));
      });
    }, ms).unref();
  }

  /** Sends what was counted until now, and then no more. Resolves when that was tried, or at `stop`; never rejects. */
  async sendLast(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    clearTimeout(this.#timer);
    await this.#flush();
  }

  /** Nothing is sent any more, and what is on its way is given up. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped.abort();
  }

  #flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  /** Sends each flag's counts once: what is counted meanwhile is for the next period. */
  async #sendAll(): Promise<void> {
    const flags = this.#flags.flags[Symbol.iterator]();
    let outcome: Outcome = 'counted';
    while (outcome === 'counted' && !this.#stopped.signal.aborted) {
      this.#report ??= collect(flags);
      if (this.#report === null) return;
      this.#attempts += 1;
      outcome = await this.#send(this.#report);
      this.#isRefused = outcome === 'refused';
      const isDone = outcome === 'counted' || outcome === 'dropped' || this.#attempts >= attemptsMax;
      if (!isDone) return;
      this.#report = null;
      this.#attempts = 0;
    }
  }

  async #send(report: SyncUsage): Promise<Outcome> {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const timer = setTimeout(abort, this.#timings.answerMs).unref();
    this.#stopped.signal.addEventListener('abort', abort);
    try {
      const answer = await send(this.#address.usage, {
        method: 'POST',
        headers: { ...this.#address.usageHeaders(), 'content-type': 'application/json' },
        body: JSON.stringify(report),
        signal: controller.signal,
      });
      const { statusCode: status = 0 } = answer;
      await readText(answer, answerBytesMax);
      return outcomeOf(status);
    } catch {
      return 'unsent';
    } finally {
      clearTimeout(timer);
      this.#stopped.signal.removeEventListener('abort', abort);
    }
  }
}

function outcomeOf(status: number): Outcome {
  if (status === 401 || status === 403) return 'refused';
  if (status >= 500 || status === 429) return 'unsent';
  return status < 300 ? 'counted' : 'dropped';
}

/** Takes the counts of the next flags. @returns null when no further flag was asked for */
function collect(flags: Iterator<ClientFlag>): SyncUsage | null {
  const counted: SyncUsage['flags'][number][] = [];
  while (counted.length < reportFlagsMax) {
    const next = flags.next();
    if (next.done === true) break;
    const { sent, tally } = next.value;
    const { on, off } = tally;
    if (on + off === 0) continue;
    counted.push({ id: sent.id, on, off });
    tally.on = 0;
    tally.off = 0;
  }
  return counted.length === 0 ? null : { reportId: randomUUID(), flags: counted };
}
