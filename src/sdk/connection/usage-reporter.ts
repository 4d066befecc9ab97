import { randomUUID } from 'node:crypto';
import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { ClientFlag, FlagSet } from '../configuration/flag-set.ts';
import type { Timings } from '../timings.ts';
import { Backoff } from './backoff.ts';
import { readText, send } from './request.ts';
import type { SyncAddress } from './sync-address.ts';

/** Flags in one report. */
const reportFlagsMax = 500;
/** After this many failed attempts a report is dropped, and its counts are lost. */
const attemptsMax = 5;
/** The longest answer to a report that is read. */
const answerBytesMax = 16 * 1024;

/** The fate of a report. `refused`: the token is not valid, so a retry soon is useless. */
type Outcome = 'counted' | 'dropped' | 'unsent' | 'refused';

/**
 * Reports to the service how often each flag was on and off here, for its charts and its search for stale flags. Each
 * compiled flag holds its counts. One report is sent at a time. Each period makes one pass over the flags, however busy
 * the program is.
 */
export class UsageReporter {
  readonly #address: SyncAddress;
  readonly #flags: FlagSet;
  readonly #timings: Timings;
  readonly #stopped = new AbortController();
  /** The report that is being sent, or waits for its next attempt. */
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
    // The first report comes at a random time, so that clients that start together do not report together.
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

  /** Sends the last counts. Resolves after one attempt, or at `stop`; never rejects. */
  async sendLast(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    clearTimeout(this.#timer);
    await this.#flush();
  }

  /** Stops reporting, and aborts the report that is being sent. */
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

  /** Sends each flag's counts once. Counts that arrive meanwhile wait for the next period. */
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

/** Takes the counts of the next flags. @returns null when no further flag was evaluated */
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
