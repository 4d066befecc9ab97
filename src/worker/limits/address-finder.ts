import { BlockList, isIP } from 'node:net';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { Logger } from '../../observability/logger.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';

/** The client that a request comes from. */
export interface ClientAddress {
  /** For the log and the denial record. */
  readonly text: string;
  /** The key of limits: an IPv4 address, or the /64 of an IPv6 one. */
  readonly limitKey: string;
}

interface FoundAddress {
  readonly address: ClientAddress;
  readonly isForged: boolean;
}

const hopsMax = 32;
/** `::ffff:` before an IPv4 address. */
const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex');

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param bytes 4 or 16 of them. `::ffff:a.b.c.d` is the IPv4 address. */
export function addressFromBytes(bytes: Uint8Array): ClientAddress {
  if (bytes.length === 4) return addressFromFour(bytes);
  if (mappedPrefix.every((byte, index) => bytes[index] === byte)) return addressFromFour(bytes.subarray(-4));
  const hex = toHex(bytes);
  const groups = hex.match(/.{4}/g) ?? [];
  const text = groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
  return { text, limitKey: `${hex.slice(0, 16)}/64` };
}

function addressFromFour(bytes: Uint8Array): ClientAddress {
  const text = `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  return { text, limitKey: text };
}

/** @returns 16 bytes of a valid IPv6 text, or 4 of an IPv4 one; null when it is neither. */
function parseAddress(text: string): Uint8Array | null {
  if (isIP(text) === 4) return Uint8Array.from(text.split('.').map(Number));
  if (isIP(text) !== 6) return null;
  const withoutZone = text.split('%')[0] as string;
  const hexTail = withoutZone.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
  const [left = '', right] = hexTail.split('::');
  const leftGroups = left === '' ? [] : left.split(':');
  const rightGroups = right === undefined || right === '' ? [] : right.split(':');
  const zeros = new Array<string>(8 - leftGroups.length - rightGroups.length).fill('0');
  const groups = [...leftGroups, ...zeros, ...rightGroups].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** @returns null when it is not an address */
export function addressFromText(text: string): ClientAddress | null {
  const bytes = parseAddress(text);
  return bytes === null ? null : addressFromBytes(bytes);
}

/** One hop as proxies write it: an address, possibly with a port, possibly in brackets. */
function parseHop(hop: string): ClientAddress | null {
  const trimmed = hop.trim().replace(/^"|"$/g, '');
  const bare = trimmed.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return addressFromText(bare);
}

/**
 * Finds the client behind declared proxies. `X-Forwarded-For` is trusted only as far as trusted hops wrote it: it is
 * read from the right, and the first address that is not a trusted proxy is the client.
 */
export class ClientAddresses {
  readonly #trusted = new BlockList();
  readonly #hasTrusted: boolean;

  /** @param trustedProxies addresses, or networks in CIDR notation, validated by the configuration */
  constructor(trustedProxies: readonly string[]) {
    this.#hasTrusted = trustedProxies.length > 0;
    for (const proxy of trustedProxies) {
      const [network = '', prefix] = proxy.split('/');
      const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#trusted.addAddress(network, family);
      else this.#trusted.addSubnet(network, Number(prefix), family);
    }
  }

  #isTrusted(address: ClientAddress): boolean {
    return this.#hasTrusted && this.#trusted.check(address.text, isIP(address.text) === 6 ? 'ipv6' : 'ipv4');
  }

  /** @param peer the socket's peer, 4 or 16 bytes. @returns whether its `X-Forwarded-For` is trusted */
  isTrustedPeer(peer: Uint8Array): boolean {
    return this.#isTrusted(addressFromBytes(peer));
  }

  /** @returns the client's address, and whether an untrusted peer sent the header */
  findOf(exchange: Exchange, view: RequestView): FoundAddress {
    return this.find(exchange.remoteAddress(), view.headerValues('x-forwarded-for').join(','));
  }

  /**
   * @param peer the socket's peer, 4 or 16 bytes
   * @param forwardedFor the values of `X-Forwarded-For`, joined by commas; empty when absent
   */
  find(peer: Uint8Array, forwardedFor: string): FoundAddress {
    let address = addressFromBytes(peer);
    if (forwardedFor === '') return { address, isForged: false };
    if (!this.#isTrusted(address)) return { address, isForged: true };
    for (const hop of forwardedFor.split(',').slice(-hopsMax).reverse()) {
      const parsed = parseHop(hop);
      if (parsed === null) break;
      address = parsed;
      if (!this.#isTrusted(parsed)) break;
    }
    return { address, isForged: false };
  }
}

const warningIntervalMs = 60_000n;

/** Time of the last warning of a forged header, in milliseconds of the monotonic clock; 0 for none. */
export function createWarningMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

/** Finds the client of a request, and logs a warning when an untrusted peer sends the header. */
export class AddressFinder {
  readonly #addresses: ClientAddresses;
  readonly #log: Logger;
  readonly #warnedAt: BigInt64Array<SharedArrayBuffer>;

  /** @param warningMemory from `createWarningMemory`, shared by all workers */
  constructor(addresses: ClientAddresses, log: Logger, warningMemory: SharedArrayBuffer) {
    this.#addresses = addresses;
    this.#log = log;
    this.#warnedAt = new BigInt64Array(warningMemory);
  }

  find(exchange: Exchange, view: RequestView): ClientAddress {
    const { address, isForged } = this.#addresses.findOf(exchange, view);
    if (isForged) this.#warn(address.text);
    return address;
  }

  /**
   * Behind a proxy that is not declared, all clients share one limit. So the log warns of it, but not for each request.
   */
  #warn(address: string): void {
    const now = BigInt(Math.ceil(monotonicMs()));
    const warnedAt = Atomics.load(this.#warnedAt, 0);
    if (warnedAt !== 0n && now - warnedAt < warningIntervalMs) return;
    // If several workers reach this line at once, one of them writes the warning.
    if (Atomics.compareExchange(this.#warnedAt, 0, warnedAt, now) !== warnedAt) return;
    this.#log.warn(
      { address },
      'X-Forwarded-For came from a peer that is not a trusted proxy, and was ignored; declare the proxy with --trusted-proxies if it is yours',
    );
  }
}
