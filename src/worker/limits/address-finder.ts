import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { ClientAddress, ClientAddresses } from './client-address.ts';

const warningIntervalMs = 60_000n;

/** When the last warning of a forged header was written, in milliseconds of the monotonic clock; 0 when none was. */
export function createWarningMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

/** Finds whom a request comes from, and tells the log when somebody claims what they may not. */
export class AddressFinder {
  readonly #addresses: ClientAddresses;
  readonly #log: Logger;
  readonly #warnedAt: BigInt64Array<SharedArrayBuffer>;

  /** @param warningMemory of `createWarningMemory`, shared by all workers */
  constructor(addresses: ClientAddresses, log: Logger, warningMemory: SharedArrayBuffer) {
    this.#addresses = addresses;
    this.#log = log;
    this.#warnedAt = new BigInt64Array(warningMemory);
  }

  find(exchange: Exchange, view: RequestView): ClientAddress {
    const forwardedFor = view.headerValues('x-forwarded-for').join(',');
    const { address, isForged } = this.#addresses.find(exchange.remoteAddress(), forwardedFor);
    if (isForged) this.#warn(address.text);
    return address;
  }

  /** Behind a proxy that is not declared, everyone shares one limit: that deserves a line, but not one per request. */
  #warn(address: string): void {
    const now = BigInt(Math.ceil(monotonicMs()));
    const warnedAt = Atomics.load(this.#warnedAt, 0);
    if (warnedAt !== 0n && now - warnedAt < warningIntervalMs) return;
    // Of workers that come here at once, one writes the line.
    if (Atomics.compareExchange(this.#warnedAt, 0, warnedAt, now) !== warnedAt) return;
    this.#log.warn(
      { address },
      'X-Forwarded-For came from a peer that is not a trusted proxy, and was ignored; declare the proxy with --trusted-proxies if it is yours',
    );
  }
}
