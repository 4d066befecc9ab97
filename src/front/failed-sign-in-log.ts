import type { FailedSignIns } from '../domain/session/failed-sign-ins.ts';
import { recordFailedSignIns } from '../operations/sessions/record-failed-sign-ins.ts';
import { within } from '../support/within.ts';
import type { WriterClient } from '../writer/client/writer-client.ts';

/** One entry counts the further attempts of this time. */
export const failedSignInWindowMs = 10 * 60 * 1000;
/** Addresses of a member's failed sign-ins that have entries of their own at a time. */
export const failedAddressesMax = 10;
/** Members whose failed sign-ins are counted at a time. One more ends the counting of another one. */
const membersMax = 2000;
const sweepMs = 10_000;
/** A stopping service waits for the last counts for this long. */
const lastRecordMs = 1500;

/** Attempts of a member and an address since the last entry. */
interface Window {
  since: number;
  attempts: number;
}

/** The first attempt, as a worker reports it. */
export type FailedSignIn = Pick<FailedSignIns, 'memberId'> & {
  readonly address: string;
  readonly requestId: string;
};

/**
 * Records failed sign-ins of members in the audit log, so that attempts fill it slowly: the first of a member and an
 * address at once, the further ones as a count every ten minutes. Nothing waits for an entry. A process that is killed
 * loses the counts of the last ten minutes, and each attack has still left its first entry.
 */
export class FailedSignInLog {
  readonly #writer: Pick<WriterClient, 'write'>;
  readonly #onFault: (fault: unknown) => void;
  /** By member and address; null for all further addresses. */
  readonly #windows = new Map<string, Map<string | null, Window>>();
  readonly #writing = new Set<Promise<void>>();
  readonly #timer = setInterval(() => this.sweep(Date.now()), sweepMs).unref();

  constructor(writer: Pick<WriterClient, 'write'>, onFault: (fault: unknown) => void) {
    this.#writer = writer;
    this.#onFault = onFault;
  }

  note({ memberId, address: from, requestId }: FailedSignIn, now: number): void {
    const own = this.#windowsOf(memberId);
    const address = own.has(from) || own.size < failedAddressesMax ? from : null;
    const window = own.get(address);
    if (window !== undefined) {
      window.attempts += 1;
      return;
    }
    own.set(address, { since: now, attempts: 0 });
    this.#record({ memberId, address, requestId, attempts: 1, since: now });
  }

  #windowsOf(memberId: string): Map<string | null, Window> {
    const known = this.#windows.get(memberId);
    if (known !== undefined) return known;
    const [oldest] = this.#windows.keys();
    if (this.#windows.size === membersMax && oldest !== undefined) {
      this.#recordCounts(oldest);
      this.#windows.delete(oldest);
    }
    const added = new Map<string | null, Window>();
    this.#windows.set(memberId, added);
    return added;
  }

  /** Records the counts of the windows that are over. A window without further attempts ends; others begin again. */
  sweep(now: number): void {
    for (const [memberId, own] of this.#windows) {
      for (const [address, window] of own) {
        if (Math.abs(now - window.since) < failedSignInWindowMs) continue;
        if (window.attempts === 0) own.delete(address);
        else this.#recordCount(memberId, address, window);
        window.since = now;
        window.attempts = 0;
      }
      if (own.size === 0) this.#windows.delete(memberId);
    }
  }

  /** Records all counts. Call it when nothing is noted any more, and before the writer stops. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const memberId of this.#windows.keys()) this.#recordCounts(memberId);
    this.#windows.clear();
    await within(lastRecordMs, Promise.all(this.#writing));
  }

  #recordCounts(memberId: string): void {
    for (const [address, window] of this.#windows.get(memberId) ?? []) {
      if (window.attempts > 0) this.#recordCount(memberId, address, window);
    }
  }

  #recordCount(memberId: string, address: string | null, { attempts, since }: Window): void {
    this.#record({ memberId, address, requestId: null, attempts, since });
  }

  #record(input: FailedSignIns): void {
    const from = { address: '', userAgent: '', requestId: '', params: {}, credential: null };
    const call = { api: 'console', operation: recordFailedSignIns.id, ...from } as const;
    const writing = this.#writer
      .write({ ...call, query: '', header: null, body: null, input })
      .then(({ kind }) => {
        if (kind !== 'answered' && kind !== 'unconfirmed')
          throw new Error(`the writer has answered: ${kind}`);
      })
      .catch(this.#onFault)
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}
