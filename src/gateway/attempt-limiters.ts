import type { SignInAttempts } from '../api/console/sign-in-attempts.ts';
import { hashSecret } from '../support/hash-secret.ts';
import type { GatewayMeter } from './gateway-meter.ts';
import { WindowLimiter, type WindowLimiterOptions } from './window-limiter.ts';

/** Wrong attempts in a window, from the first of them. */
const accountAttemptsMax = 10;
const addressAttemptsMax = 50;
export const attemptWindowMs = 15 * 60 * 1000;

/**
 * Limits wrong attempts to sign in: for an account, whoever makes them, and from an address, whatever accounts it tries.
 * An account that does not exist is counted like one that does.
 */
export class AttemptLimiters implements SignInAttempts {
  readonly #accounts: WindowLimiter;
  readonly #addresses: WindowLimiter;
  readonly #meter: GatewayMeter;

  constructor(meter: GatewayMeter, options: Partial<WindowLimiterOptions> = {}) {
    this.#meter = meter;
    this.#accounts = new WindowLimiter(accountAttemptsMax, { windowMs: attemptWindowMs, ...options });
    this.#addresses = new WindowLimiter(addressAttemptsMax, { windowMs: attemptWindowMs, ...options });
  }

  begin(account: string, limitKey: string): number | null {
    const key = accountKey(account);
    if (this.#addresses.isFull(limitKey)) return this.#refuse(this.#addresses, limitKey);
    if (this.#accounts.isFull(key)) return this.#refuse(this.#accounts, key);
    this.#addresses.take(limitKey);
    this.#accounts.take(key);
    return null;
  }

  beginFrom(limitKey: string): number | null {
    if (this.#addresses.isFull(limitKey)) return this.#refuse(this.#addresses, limitKey);
    this.#addresses.take(limitKey);
    return null;
  }

  #refuse(limiter: WindowLimiter, key: string): number {
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
