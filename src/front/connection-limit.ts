import { readdirSync, readFileSync } from 'node:fs';
import type { Logger } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { putConnectionsMax, refusedConnections } from '../worker/limits/connection-room.ts';

/** Descriptors that are left for files, mails, commands, the admin listener and the thread of a replacement. */
const spareDescriptors = 64;
/** Of all descriptors, those left for connections that are accepted before a worker knows of the ones ahead of them. */
const burstShare = 1 / 8;
/** As long as the listener's queue, no more wait in it than are accepted at once. */
const burstMax = 512;
/** What fits the cell, where nothing else bounds it. */
const unbounded = 2 ** 31 - 1;

/** Refused connections are told of this often at most: their client makes many. */
const toldEveryMs = 60_000;

/** What the front end does about the number of connections: it says how many there may be, and when that is reached. */
export class ConnectionLimit {
  readonly #memory: SharedArrayBuffer;
  readonly #log: Logger;
  #refusedTold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  max = 0;

  /** @param memory of the `ConnectionRoom` */
  constructor(memory: SharedArrayBuffer, log: Logger) {
    this.#memory = memory;
    this.#log = log;
  }

  /** Before anybody can connect. @throws Error with a message for people when there is room for none */
  begin(): void {
    this.max = findConnectionsMax();
    putConnectionsMax(this.#memory, this.max);
  }

  /** Since the start. */
  get refused(): number {
    return refusedConnections(this.#memory);
  }

  /** Some times a second. */
  look(): void {
    const { refused } = this;
    if (refused === this.#refusedTold || monotonicMs() - this.#toldAt < toldEveryMs) return;
    this.#toldAt = monotonicMs();
    this.#log.warn(
      { refused: refused - this.#refusedTold, connectionsMax: this.max },
      'connections are refused: there are as many as the descriptors of the process allow',
    );
    this.#refusedTold = refused;
  }
}

/**
 * How many connections the process may have, so that it never comes to its limit of descriptors: without one left a
 * connection can be neither taken nor refused, the listener stays readable, and the main thread tries without an end.
 * Everything else that the process has open must be open already.
 *
 * @throws Error with a message for people when the limit leaves none
 */
function findConnectionsMax(): number {
  const limit = descriptorLimit();
  if (limit === null) return unbounded;
  const open = readdirSync('/proc/self/fd').length;
  const max = limit - open - spareDescriptors - Math.min(burstMax, Math.floor(limit * burstShare));
  if (max < 1) {
    throw new Error(
      `The process may have ${limit} file descriptors, which leaves none for connections. Raise the limit: ` +
        'LimitNOFILE= of the unit, --ulimit nofile= of the container, or ulimit -n.',
    );
  }
  return Math.min(max, unbounded);
}

/** @returns the limit in force, which Node raises to the hard one at its start; null for none, or where no `/proc` tells it */
function descriptorLimit(): number | null {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return null;
  }
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}
