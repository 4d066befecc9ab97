import { setTimeout } from 'node:timers/promises';
import { type WireAnswer, WireConnection } from './wire-connection.ts';

export interface OpenLoopOptions {
  readonly port: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** One more that finds no connection free is given up: a client in front of the service would do the same. */
  readonly connectionsMax: number;
  readonly requestOf: (turn: number) => string;
}

export interface OpenLoopAnswer {
  readonly status: number;
  readonly durationMs: number;
  /** The beginning of it. */
  readonly body: string;
}

export interface OpenLoopOutcome {
  readonly answers: readonly OpenLoopAnswer[];
  readonly sent: number;
  /** Found no connection free. */
  readonly givenUp: number;
  /** Closed without an answer. */
  readonly lost: number;
}

const tickMs = 2;
const bodyKept = 300;

/** Sends at a rate, whatever the answers do, and waits for the last of them. */
export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopOutcome> {
  const { port, requestsPerSecond, seconds, connectionsMax, requestOf } = options;
  const answers: OpenLoopAnswer[] = [];
  const free: WireConnection[] = [];
  const underWay = new Set<Promise<void>>();
  const counts = { sent: 0, givenUp: 0, lost: 0, open: 0 };
  const ask = async (turn: number): Promise<void> => {
    counts.open += 1;
    const connection = free.pop() ?? (await WireConnection.open(port).catch(() => null));
    const answer: WireAnswer | null = (await connection?.ask(requestOf(turn)).catch(() => null)) ?? null;
    counts.open -= 1;
    if (answer === null) counts.lost += 1;
    else {
      answers.push({
        status: answer.status,
        durationMs: answer.durationMs,
        body: answer.body.slice(0, bodyKept),
      });
      if (connection !== null && !connection.isLost) free.push(connection);
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
  for (const connection of free) connection.destroy();
  return { answers, sent: counts.sent, givenUp: counts.givenUp, lost: counts.lost };
}
