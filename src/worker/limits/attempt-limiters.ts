import type { SignInAttempts } from '../../operations/conversation.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import type { RequestMeter } from '../request-meter.ts';
import { AddressLimiter } from './address-limiter.ts';
import { WindowLimiter, type WindowLimiterOptions, type WindowMemory } from './window-limiter.ts';

/** Wrong attempts in a window, which begins with the first of them. */
export const pairAttemptsMax = 10;
export const addressAttemptsMax = 50;
/** The limit for an account from all addresses together: a member who has forgotten a password makes fewer. */
export const accountAttemptsMax = 100;
/** The limit for an account and an address while the account is above its own limit. */
export const pairAttemptsMaxThen = 2;
export const attemptWindowMs = 15 * 60 * 1000;

/** Shared by all workers. */
export interface AttemptMemory {
  readonly accounts: WindowMemory;
  readonly addresses: WindowMemory;
  readonly pairs: WindowMemory;
}

/**
 * Limits wrong attempts to sign in, for an account from one address, and from an address for all accounts. Nobody can
 * lock somebody else out: while an account is attacked, each address has fewer attempts for it, but still has some. An
 * account that does not exist is counted like one that does.
 */
export class AttemptLimiters implements SignInAttempts {
  readonly #accounts: WindowLimiter;
  readonly #addresses: AddressLimiter;
  readonly #pairs: WindowLimiter;
  readonly #pairsThen: WindowLimiter;
  readonly #meter: RequestMeter;

  constructor(memory: AttemptMemory, meter: RequestMeter, options: Partial<WindowLimiterOptions> = {}) {
    const windows = { windowMs: attemptWindowMs, ...options };
    this.#meter = meter;
    this.#accounts = new WindowLimiter(memory.accounts, accountAttemptsMax, windows);
    this.#addresses = new AddressLimiter(memory.addresses, addressAttemptsMax, windows);
    this.#pairs = new WindowLimiter(memory.pairs, pairAttemptsMax, windows);
    this.#pairsThen = new WindowLimiter(memory.pairs, pairAttemptsMaxThen, windows);
  }

  begin(account: string, limitKey: string): number | null {
    const key = accountKey(account);
    const pair = pairKey(key, limitKey);
    const pairs = this.#accounts.isFull(key) ? this.#pairsThen : this.#pairs;
    if (this.#addresses.isFull(limitKey)) return this.#refuse(this.#addresses, limitKey);
    if (pairs.isFull(pair)) return this.#refuse(pairs, pair);
    // Other workers may have taken the last attempt since it was checked.
    if (!this.#addresses.take(limitKey)) return this.#refuse(this.#addresses, limitKey);
    if (!pairs.take(pair)) {
      this.#addresses.giveBack(limitKey);
      return this.#refuse(pairs, pair);
    }
    this.#accounts.take(key);
    return null;
  }

  beginFrom(limitKey: string): number | null {
    return this.#addresses.take(limitKey) ? null : this.#refuse(this.#addresses, limitKey);
  }

  #refuse(limiter: Pick<WindowLimiter, 'retryAfterSeconds'>, key: string): number {
    this.#meter.countLimited('sign-in-attempts');
    return limiter.retryAfterSeconds(key);
  }

  giveBack(account: string, limitKey: string): void {
    const key = accountKey(account);
    this.#addresses.giveBack(limitKey);
    this.#pairs.giveBack(pairKey(key, limitKey));
    // A full account did not count the attempt, so there is nothing to give back.
    if (!this.#accounts.isFull(key)) this.#accounts.giveBack(key);
  }

  giveBackFrom(limitKey: string): void {
    this.#addresses.giveBack(limitKey);
  }
}

/** A hash, of fixed length for any email. */
export function accountKey(account: string): string {
  return Buffer.from(hashSecret(account.toLowerCase())).toString('base64');
}

export function pairKey(account: string, limitKey: string): string {
  return `${account} ${limitKey}`;
}
