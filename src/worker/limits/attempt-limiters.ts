import type { SignInAttempts } from '../../api/console/sign-in-attempts.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import type { RequestMeter } from '../request-meter.ts';
import { AddressLimiter } from './address-limiter.ts';
import { WindowLimiter, type WindowLimiterOptions, type WindowMemory } from './window-limiter.ts';

/** Wrong attempts in a window, from the first of them. */
const accountAttemptsMax = 10;
const addressAttemptsMax = 50;
export const attemptWindowMs = 15 * 60 * 1000;

/** Shared by all workers. */
export interface AttemptMemory {
  readonly accounts: WindowMemory;
  readonly addresses: WindowMemory;
}

/**
 * Limits wrong attempts to sign in: for an account, whoever makes them, and from an address, whatever accounts it tries.
 * An account that does not exist is counted like one that does.
 */
export class AttemptLimiters implements SignInAttempts {
  readonly #accounts: WindowLimiter;
  readonly #addresses: AddressLimiter;
  readonly #meter: RequestMeter;

  constructor(memory: AttemptMemory, meter: RequestMeter, options: Partial<WindowLimiterOptions> = {}) {
    const windows = { windowMs: attemptWindowMs, ...options };
    this.#meter = meter;
    this.#accounts = new WindowLimiter(memory.accounts, accountAttemptsMax, windows);
    this.#addresses = new AddressLimiter(memory.addresses, addressAttemptsMax, windows);
  }

  begin(account: string, limitKey: string): number | null {
    const key = accountKey(account);
    if (this.#addresses.isFull(limitKey)) return this.#refuse(this.#addresses, limitKey);
    if (this.#accounts.isFull(key)) return this.#refuse(this.#accounts, key);
    // Other workers may have taken the last of either since it was looked at.
    if (!this.#addresses.take(limitKey)) return this.#refuse(this.#addresses, limitKey);
    if (this.#accounts.take(key)) return null;
    this.#addresses.giveBack(limitKey);
    return this.#refuse(this.#accounts, key);
  }

  beginFrom(limitKey: string): number | null {
    return this.#addresses.take(limitKey) ? null : this.#refuse(this.#addresses, limitKey);
  }

  #refuse(limiter: Pick<WindowLimiter, 'retryAfterSeconds'>, key: string): number {
    this.#meter.countLimited('sign-in-attempts');
    return limiter.retryAfterSeconds(key);
  }

  giveBack(account: string, limitKey: string): void {
    this.#addresses.giveBack(limitKey);
    this.#accounts.giveBack(accountKey(account));
  }

  giveBackFrom(limitKey: string): void {
    this.#addresses.giveBack(limitKey);
  }
}

/** Of fixed length, whatever was sent as an email. */
function accountKey(account: string): string {
  return Buffer.from(hashSecret(account.toLowerCase())).toString('base64');
}
