import type { ClientMode, ClientStatus } from '../burgee-client.ts';
import type { HeldConfiguration } from '../configuration/held-configuration.ts';
import { parseJson, readSnapshot } from '../configuration/sync-shapes.ts';
import type { Timings } from '../timings.ts';
import { Backoff } from './backoff.ts';
import { receivedBytesMax } from './configuration-bound.ts';
import { type ConnectionEnd, ConnectionEnded, endOf, expectAnswer } from './connection-end.ts';
import { readText, send } from './request.ts';
import type { SyncAddress } from './sync-address.ts';
import { followStream } from './sync-stream.ts';

/** Resolves after a time, or when the signal aborts. Does not keep the process running. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}

/**
 * Asks once for the whole configuration, and applies it if it is new.
 * @throws ConnectionEnded, UnusableConfiguration, or the socket's error
 */
async function fetchSnapshot(
  address: SyncAddress,
  held: HeldConfiguration,
  { answerMs }: Timings,
  outer: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, answerMs).unref();
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort);
  const { position } = held;
  const known: Record<string, string> = position === null ? {} : { 'if-none-match': `"${position}"` };
  try {
    const answer = await send(address.configuration, {
      headers: { ...address.configurationHeaders(), accept: 'application/json', ...known },
      signal: controller.signal,
    });
    try {
      if (answer.statusCode === 304) return;
      await expectAnswer(answer, 'application/json', address);
      held.replace(readSnapshot(parseJson(await readText(answer, receivedBytesMax))), true);
    } finally {
      answer.destroy();
    }
  } catch (fault) {
    if (!isLate || fault instanceof ConnectionEnded) throw fault;
    throw new ConnectionEnded({
      kind: 'lost',
      why: `Burgee has not answered within ${answerMs / 1000} seconds.`,
    });
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  }
}

/** @param isRefused a person must fix it, so waiting is useless */
export type SetStatus = (status: ClientStatus, why: string, isRefused?: boolean) => void;

/** Keeps a configuration up to date until the client is closed. */
export class Synchroniser {
  readonly #address: SyncAddress;
  readonly #held: HeldConfiguration;
  readonly #timings: Timings;
  readonly #setStatus: SetStatus;
  readonly #backoff: Backoff;
  readonly #closed = new AbortController();
  /** Aborts the current connection or wait; the next one begins at once. */
  #round = new AbortController();
  /** True while it waits because its token was refused. A new token ends the wait. */
  #isRefused = false;
  /** Whether the next stream asks for the whole configuration. */
  #isFromStart = false;
  #isFirst = true;
  /** Fires when polls have had no answer for too long. */
  #freshness: NodeJS.Timeout | undefined;

  constructor(address: SyncAddress, held: HeldConfiguration, timings: Timings, setStatus: SetStatus) {
    this.#address = address;
    this.#held = held;
    this.#timings = timings;
    this.#setStatus = setStatus;
    this.#backoff = new Backoff(timings);
  }

  /** Runs until `close`. Never rejects. */
  async run(mode: ClientMode): Promise<void> {
    const pulse = this.#watchProcessAndToken();
    while (!this.#closed.signal.aborted) {
      this.#round = new AbortController();
      const waitMs = mode === 'stream' ? await this.#stream() : await this.#ask(mode);
      if (waitMs === null) break;
      await pause(waitMs, this.#round.signal);
      this.#isRefused = false;
    }
    clearInterval(pulse);
  }

  close(): void {
    this.#closed.abort();
    this.#round.abort();
    clearTimeout(this.#freshness);
  }

  /**
   * A forked process has none of its parent's connections. A refused token that was replaced is tried at once.
   */
  #watchProcessAndToken(): NodeJS.Timeout {
    let { pid } = process;
    const look = (): void => {
      const hasForked = process.pid !== pid;
      pid = process.pid;
      if (hasForked || (this.#isRefused && this.#address.hasNewToken())) this.#round.abort();
    };
    return setInterval(look, this.#timings.pulseMs).unref();
  }

  /** @returns how long to wait before the next stream */
  async #stream(): Promise<number> {
    let connectedAt: number | null = null;
    const firstByteMs = this.#isFirst ? this.#timings.firstByteMs : this.#timings.watchdogMs;
    this.#isFirst = false;
    try {
      return await followStream(this.#address, this.#held, this.#timings, {
        position: this.#isFromStart ? null : this.#held.position,
        firstByteMs,
        signal: this.#round.signal,
        onCurrent: () => {
          connectedAt ??= performance.now();
          this.#isFromStart = false;
          this.#setStatus('ready', 'The stream is connected.');
        },
      });
    } catch (fault) {
      const end = endOf(fault, this.#address);
      const connectedMs = connectedAt === null ? 0 : performance.now() - connectedAt;
      this.#backoff.noteEnd(connectedMs);
      if (this.#closed.signal.aborted) return 0;
      this.#report(end);
      if (end.kind === 'unusable') this.#isFromStart = true;
      if (end.kind === 'silent') await this.#askWithoutStream();
      return this.#waitAfter(end);
    }
  }

  /** Perhaps a proxy buffers streams: until the next attempt the client polls. */
  async #askWithoutStream(): Promise<void> {
    try {
      await fetchSnapshot(this.#address, this.#held, this.#timings, this.#round.signal);
      this.#setStatus(
        'stale',
        'No event of the stream arrives: the configuration is asked for again and again.',
      );
    } catch (fault) {
      if (!this.#closed.signal.aborted) this.#report(endOf(fault, this.#address));
    }
  }

  /** @returns how long to wait before the next poll; null for none */
  async #ask(mode: 'poll' | 'once'): Promise<number | null> {
    const startedAt = performance.now();
    try {
      await fetchSnapshot(this.#address, this.#held, this.#timings, this.#round.signal);
    } catch (fault) {
      if (this.#closed.signal.aborted) return null;
      const end = endOf(fault, this.#address);
      this.#report(end);
      return this.#waitAfter(end);
    }
    this.#setStatus('ready', `The configuration was asked for ${mode === 'poll' ? 'in time' : 'once'}.`);
    if (mode === 'once') return null;
    this.#watchFreshness(performance.now() - startedAt);
    // An answer resets the backoff.
    this.#backoff.noteEnd(Number.POSITIVE_INFINITY);
    return Math.max(0, Backoff.about(this.#timings.pollMs) - (performance.now() - startedAt));
  }

  /** With polls, as with a stream, a client is `ready` for at most the watchdog's time after the last answer. */
  #watchFreshness(ageMs: number): void {
    const { watchdogMs } = this.#timings;
    clearTimeout(this.#freshness);
    this.#freshness = setTimeout(
      () => this.#setStatus('stale', `No poll has been answered for ${watchdogMs / 1000} seconds.`),
      watchdogMs - ageMs,
    ).unref();
  }

  #report({ kind, why }: ConnectionEnd): void {
    const isRefused = kind === 'refused';
    this.#setStatus(this.#held.version !== null && !isRefused ? 'stale' : 'error', why, isRefused);
  }

  #waitAfter({ isLasting, waitMs }: ConnectionEnd): number {
    this.#isRefused = isLasting;
    return isLasting ? Backoff.about(this.#timings.refusedMs) : this.#backoff.next(waitMs);
  }
}
