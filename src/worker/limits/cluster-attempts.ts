import type { AttemptsPort } from '../../operations/cluster/attempts-port.ts';
import type { SignInAttempts } from '../../operations/conversation.ts';
import type { RequestMeter } from '../request-meter.ts';
import { addressLimits } from './address-limiter.ts';
import {
  accountAttemptsMax,
  accountKey,
  addressAttemptsMax,
  attemptWindowMs,
  pairAttemptsMax,
  pairAttemptsMaxThen,
  pairKey,
} from './attempt-limiters.ts';

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
 * The limits of `AttemptLimiters` over all nodes of a cluster. This node's own counts come first, so that what it refuses
 * asks nobody; and they alone hold while PostgreSQL does not answer.
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
