import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { ClientAddress, ClientAddresses } from './client-address.ts';

const warningIntervalMs = 60_000;

/** Finds whom a request comes from, and tells the log when somebody claims what they may not. */
export class AddressFinder {
  readonly #addresses: ClientAddresses;
  readonly #log: Logger;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(addresses: ClientAddresses, log: Logger) {
    this.#addresses = addresses;
    this.#log = log;
  }

  find(exchange: Exchange, view: RequestView): ClientAddress {
    const forwardedFor = view.headerValues('x-forwarded-for').join(',');
    const { address, isForged } = this.#addresses.find(exchange.remoteAddress(), forwardedFor);
    if (isForged) this.#warn(address.text);
    return address;
  }

  /** Behind a proxy that is not declared, everyone shares one limit: that deserves a line, but not one per request. */
  #warn(address: string): void {
    const now = monotonicMs();
    if (now - this.#warnedAt < warningIntervalMs) return;
    this.#warnedAt = now;
    this.#log.warn(
      { address },
      'X-Forwarded-For came from a peer that is not a trusted proxy, and was ignored; declare the proxy with --trusted-proxies if it is yours',
    );
  }
}
