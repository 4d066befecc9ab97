import type { AttemptsPort } from '../../operations/cluster/attempts-port.ts';
import type { SignInAttempts } from '../../operations/conversation.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import type { RequestMeter } from '../request-meter.ts';
import { AddressLimiter, addressLimits } from './address-limiter.ts';
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
 * Limits wrong attempts to sign in, for an account from one address, and from an address for all accounts. An attacker
 * cannot lock a member out: while an account is attacked, each address has fewer attempts for it, but still has some. An
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
function accountKey(account: string): string {
  return Buffer.from(hashSecret(account.toLowerCase())).toString('base64');
}

function pairKey(account: string, limitKey: string): string {
  return `${account} ${limitKey}`;
}

/** A window that refuses attempts beyond its limit. */
interface Refusing {
  readonly key: string;
  readonly limit: number;
  /** The limit while another window is beyond its own. */
  readonly whenOver?: {
    readonly limit: number;
    readonly over: { readonly key: string; readonly limit: number };
  };
}

/**
 * The limits of `AttemptLimiters` over all nodes of a cluster. This node's own counts come first, so that
 * an attempt that they refuse needs no call; and they alone hold while PostgreSQL does not answer.
 */
export class ClusterAttempts implements SignInAttempts {
  readonly #own: SignInAttempts;
  readonly #port: AttemptsPort;
  readonly #meter: RequestMeter;

  constructor(own: SignInAttempts, port: AttemptsPort, meter: RequestMeter) {
    this.#own = own;
    this.#port = port;
    this.#meter = meter;
  }

  async begin(account: string, limitKey: string): Promise<number | null> {
    const seconds = await this.#own.begin(account, limitKey);
    if (seconds !== null) return seconds;
    const refused = await this.#count(keysOf(account, limitKey), limitsOf(account, limitKey));
    if (refused !== null) this.#own.giveBack(account, limitKey);
    return refused;
  }

  async beginFrom(limitKey: string): Promise<number | null> {
    const seconds = await this.#own.beginFrom(limitKey);
    if (seconds !== null) return seconds;
    const limits = limitsFrom(limitKey);
    const refused = await this.#count(limits.map(keyOf), limits);
    if (refused !== null) this.#own.giveBackFrom(limitKey);
    return refused;
  }

  giveBack(account: string, limitKey: string): void {
    this.#own.giveBack(account, limitKey);
    void this.#port.giveBack(keysOf(account, limitKey));
  }

  giveBackFrom(limitKey: string): void {
    this.#own.giveBackFrom(limitKey);
    void this.#port.giveBack(limitsFrom(limitKey).map(keyOf));
  }

  /** @returns seconds until one may be made: then nothing was counted; null when it may be made now */
  async #count(keys: readonly string[], limits: readonly Refusing[]): Promise<number | null> {
    const counted = await this.#port.count(keys, attemptWindowMs);
    if (counted === null) return null;
    const counts = new Map(counted.map((one) => [one.key, one]));
    const isOver = (key: string, limit: number): boolean => (counts.get(key)?.count ?? 0) > limit;
    const full = limits.find(({ key, limit, whenOver }) =>
      isOver(
        key,
        whenOver !== undefined && isOver(whenOver.over.key, whenOver.over.limit) ? whenOver.limit : limit,
      ),
    );
    if (full === undefined) return null;
    await this.#port.giveBack(keys);
    return this.#refuse(counts.get(full.key)?.secondsLeft ?? 1);
  }

  #refuse(seconds: number): number {
    this.#meter.countLimited('sign-in-attempts');
    return seconds;
  }
}

function keyOf({ key }: Refusing): string {
  return key;
}

function limitsFrom(limitKey: string): readonly Refusing[] {
  return addressLimits(limitKey, addressAttemptsMax).map(({ key, limit }) => ({ key: `from ${key}`, limit }));
}

function limitsOf(account: string, limitKey: string): readonly Refusing[] {
  const key = accountKey(account);
  const over = { key: accountName(key), limit: accountAttemptsMax };
  const pair = { key: pairName(key, limitKey), limit: pairAttemptsMax };
  return [...limitsFrom(limitKey), { ...pair, whenOver: { limit: pairAttemptsMaxThen, over } }];
}

function keysOf(account: string, limitKey: string): readonly string[] {
  return [...limitsOf(account, limitKey).map(keyOf), accountName(accountKey(account))];
}

function accountName(key: string): string {
  return `of ${key}`;
}

function pairName(key: string, limitKey: string): string {
  return `pair ${pairKey(key, limitKey)}`;
}
