import type { OfrepFlagSet } from '../../contracts/ofrep/ofrep-answers.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import { basePathOf } from '../../operations/console-settings.ts';
import type { ClientAddresses } from '../limits/address-finder.ts';

const hostPattern = /^(\[[0-9a-fA-F:.]+\]|[0-9A-Za-z._-]+)(:\d{1,5})?$/;

/** @param base of `PublicBase`. @param place that is evaluated. @returns the address at which a browser follows its changes */
export function eventsUrl(base: string, { projectId, environment }: OfrepFlagSet): string {
  const names = environment === null ? [projectId] : [projectId, environment];
  return `${base}/projects/${names.map(encodeURIComponent).join('/')}/ofrep/v1/events`;
}

/**
 * Finds the address of this service as a browser knows it. Behind TLS it is the base URL. Without TLS the browser's
 * address may have another name than the base URL (a machine has many): there it is the requested host, as with the
 * console, or the one that a trusted proxy names.
 */
export class PublicBase {
  readonly #base: URL;
  readonly #basePath: string;
  readonly #addresses: ClientAddresses;

  constructor(baseUrl: string, addresses: ClientAddresses) {
    this.#base = new URL(baseUrl);
    this.#basePath = basePathOf(baseUrl);
    this.#addresses = addresses;
  }

  /** @returns the base without a slash at its end */
  of(exchange: Exchange, view: RequestView): string {
    return `${this.#originOf(exchange, view)}${this.#basePath}`;
  }

  #originOf(exchange: Exchange, view: RequestView): string {
    if (this.#base.protocol === 'https:') return this.#base.origin;
    const isTrusted = this.#addresses.isTrustedPeer(exchange.remoteAddress());
    const forwarded = (name: string): string =>
      isTrusted ? (view.header(name).split(',')[0] ?? '').trim().toLowerCase() : '';
    const host = forwarded('x-forwarded-host') || view.header('host').toLowerCase();
    const scheme = forwarded('x-forwarded-proto') === 'https' ? 'https' : 'http';
    return hostPattern.test(host) ? `${scheme}://${host}` : this.#base.origin;
  }
}
