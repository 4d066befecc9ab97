import { setTimeout } from 'node:timers/promises';
import { type WireAnswer, WireConnection } from './wire-connection.ts';

export interface OpenLoopOptions {
  readonly port: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /**
   * Connections, open from the beginning. A request that finds none free is given up, as a proxy in front of the
   * service would do.
   */
  readonly connectionsMax: number;
  readonly requestOf: (turn: number) => string;
}

export interface OpenLoopAnswer {
  readonly status: number;
  readonly durationMs: number;
  /** The beginning of the body. */
  readonly body: string;
}

export interface OpenLoopOutcome {
  readonly answers: readonly OpenLoopAnswer[];
  readonly sent: number;
  /** Requests that found no free connection. */
  readonly givenUp: number;
  /** Connections that were closed without an answer. */
  readonly lost: number;
}

const tickMs = 2;
/** The service closes a connection that is idle for ten seconds, so the pool keeps one for less. */
const keptIdleMs = 5000;
const bodyKept = 300;
const openedAtOnce = 100;

/** The unused connections. The one that has waited longest is taken first, so that none is idle for long. */
class FreeConnections {
  readonly #kept: { readonly connection: WireConnection; readonly since: number }[] = [];

  /**
   * Opens the connections a few at a time. If more were opened at once than the listener's queue holds, the system
   * would repeat the attempts, which takes seconds.
   */
  static async open(port: number, count: number): Promise<FreeConnections> {
    const free = new FreeConnections();
    for (let opened = 0; opened < count; opened += openedAtOnce) {
      const opening = Array.from({ length: Math.min(openedAtOnce, count - opened) }, () =>
        WireConnection.open(port),
      );
      for (const connection of await Promise.all(opening)) free.give(connection);
    }
    return free;
  }

  give(connection: WireConnection): void {
    this.#kept.push({ connection, since: performance.now() });
  }

  /** @returns null if there is none that the service certainly keeps open */
  take(): WireConnection | null {
    for (let next = this.#kept.shift(); next !== undefined; next = this.#kept.shift()) {
      if (!next.connection.isLost && performance.now() - next.since < keptIdleMs) return next.connection;
      next.connection.destroy();
    }
    return null;
  }

  destroy(): void {
    for (const { connection } of this.#kept.splice(0)) connection.destroy();
  }
}

/** A copy: a slice of a string keeps the whole string in memory, and there is one for each answer. */
function beginningOf(body: string): string {
  return Buffer.from(body.slice(0, bodyKept)).toString();
}

/** Sends at a fixed rate without waiting for answers, and at the end waits for the last answer. */
export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopOutcome> {
  const { port, requestsPerSecond, seconds, connectionsMax, requestOf } = options;
  const answers: OpenLoopAnswer[] = [];
  const free = await FreeConnections.open(port, connectionsMax);
  const underWay = new Set<Promise<void>>();
  const counts = { sent: 0, givenUp: 0, lost: 0, open: 0 };
  const ask = async (turn: number): Promise<void> => {
    counts.open += 1;
    const connection = free.take() ?? (await WireConnection.open(port).catch(() => null));
    const answer: WireAnswer | null = (await connection?.ask(requestOf(turn)).catch(() => null)) ?? null;
    counts.open -= 1;
    if (answer === null) counts.lost += 1;
    else {
      answers.push({
        status: answer.status,
        durationMs: answer.durationMs,
        body: beginningOf(answer.body),
      });
      if (connection !== null) free.give(connection);
    }
  };
  const startedAt = performance.now();
  const total = Math.floor(requestsPerSecond * seconds);
  for (let turn = 0; turn < total; ) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1000) * requestsPerSecond);
    for (; turn < due; turn += 1) {
      if (counts.open >= connectionsMax) counts.givenUp += 1;
      else {
        counts.sent += 1;
        const asked: Promise<void> = ask(turn).finally(() => underWay.delete(asked));
        underWay.add(asked);
      }
    }
    await setTimeout(tickMs);
  }
  await Promise.all(underWay);
  free.destroy();
  return { answers, sent: counts.sent, givenUp: counts.givenUp, lost: counts.lost };
}
