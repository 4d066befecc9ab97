import { readdirSync } from 'node:fs';
import type { Logger } from '../observability/logger.ts';
import { descriptorLimit } from '../support/descriptor-limit.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { ConnectionCount } from '../worker/limits/connection-count.ts';

/** Descriptors reserved for files, mails, commands, the admin listener and the thread of a replacement. */
const spareDescriptors = 64;
/**
 * The share of descriptors reserved for connections that the kernel accepts before a worker has counted the ones before
 * them.
 */
const burstShare = 1 / 8;
/** The length of the listener's queue: no more connections are accepted at once than wait in it. */
const burstMax = 512;
/** The limit that fits the cell, when nothing else bounds it. */
const unbounded = 2 ** 31 - 1;

/** Refused connections are logged at most this often: a client that is refused keeps reconnecting. */
const toldEveryMs = 60_000;

/** The front end's part of the limit of connections: it calculates the limit, and logs when it is reached. */
export class ConnectionLimit {
  readonly #room: ConnectionCount;
  readonly #others: number;
  readonly #log: Logger;
  #refusedTold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  /**
   * @param others connections that the process may have in addition to those of the front end
   */
  constructor(room: ConnectionCount, others: number, log: Logger) {
    this.#room = room;
    this.#others = others;
    this.#log = log;
  }

  /** Call it before a client can connect. @throws Error with a message for people when there is room for none */
  begin(): void {
    this.#room.max = findConnectionsMax(this.#others);
  }

  /** Call it some times a second. */
  look(): void {
    const { refused, max } = this.#room;
    if (refused === this.#refusedTold || monotonicMs() - this.#toldAt < toldEveryMs) return;
    this.#toldAt = monotonicMs();
    this.#log.warn(
      { refused: refused - this.#refusedTold, connectionsMax: max },
      'connections are refused: the process has as many as its file descriptors allow',
    );
    this.#refusedTold = refused;
  }
}

/**
 * Calculates how many connections the process may have without reaching its limit of file descriptors. With no
 * descriptor left, a connection can be neither accepted nor refused: the listener stays readable, and the main thread
 * tries for ever. Call it when everything else that the process needs is open.
 *
 * @throws Error with a message for people when the limit leaves none
 */
function findConnectionsMax(others: number): number {
  const limit = descriptorLimit();
  if (limit === null) return unbounded;
  const open = readdirSync('/proc/self/fd').length;
  const burst = Math.min(burstMax, Math.floor(limit * burstShare));
  const max = limit - open - others - spareDescriptors - burst;
  if (max < 1) {
    throw new Error(
      `The process may have ${limit} file descriptors, which leaves none for connections. Raise the limit: ` +
        'LimitNOFILE= of the unit, --ulimit nofile= of the container, or ulimit -n.',
    );
  }
  return Math.min(max, unbounded);
}
