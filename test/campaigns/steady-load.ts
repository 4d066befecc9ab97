import { setTimeout } from 'node:timers/promises';
import type { Lifetime } from '../support/lifetime.ts';
import { type WireAnswer, WireConnection } from './wire-connection.ts';

export interface SteadyLoadOptions {
  readonly port: number;
  readonly connections: number;
  /** Pause of each connection between an answer and the next request. */
  readonly pauseMs: number | (() => number);
  /** @param turn the number of the request, from 0, over all connections */
  readonly requestOf: (turn: number) => string;
  /** Tests an answer that is no 503. */
  readonly isRight: (answer: WireAnswer) => boolean;
  /** Whether to keep every duration, for percentiles. */
  readonly keepsDurations?: boolean;
}

export interface SteadyTally {
  readonly answered: number;
  /** Requests refused with 503. */
  readonly unavailable: number;
  /** Connections that were closed without an answer. */
  readonly lost: number;
  /** The first few answers that are neither right nor a 503. */
  readonly wrong: readonly string[];
  readonly slowestMs: number;
  /** The longest wait of a request whose connection was then closed without an answer. */
  readonly slowestLostMs: number;
  /** When the latest answer came, by `performance.now()`; 0 before the first. */
  readonly lastUnavailableAt: number;
  readonly lastAnsweredAt: number;
}

const wrongKept = 5;
const reopenPauseMs = 20;

/** Kept connections that repeat requests until they are stopped, and count the answers. */
export class SteadyLoad {
  readonly #options: SteadyLoadOptions;
  readonly #loops: Promise<void>[] = [];
  readonly durationsMs: number[] = [];
  #turns = 0;
  #isOver = false;
  #tally = emptyTally();

  private constructor(options: SteadyLoadOptions) {
    this.#options = options;
  }

  static start(t: Lifetime, options: SteadyLoadOptions): SteadyLoad {
    const load = new SteadyLoad(options);
    for (let index = 0; index < options.connections; index += 1) load.#loops.push(load.#loop());
    t.teardown(() => load.stop());
    return load;
  }

  get tally(): SteadyTally {
    return this.#tally;
  }

  /** Forgets what was counted so far. */
  restart(): void {
    this.#tally = emptyTally();
    this.durationsMs.length = 0;
  }

  /** @throws errors that are not the server's fault */
  async stop(): Promise<SteadyTally> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    return this.#tally;
  }

  async #loop(): Promise<void> {
    let connection: WireConnection | null = null;
    while (!this.#isOver) {
      if (connection === null || connection.isLost) {
        connection = await WireConnection.open(this.#options.port).catch(() => null);
        if (connection === null) await setTimeout(reopenPauseMs);
        continue;
      }
      const turn = this.#turns;
      this.#turns += 1;
      const askedAt = performance.now();
      const answer: WireAnswer | null = await connection.ask(this.#options.requestOf(turn)).catch(() => null);
      if (answer === null) this.#countLost(performance.now() - askedAt);
      else this.#count(answer);
      const { pauseMs } = this.#options;
      await setTimeout(typeof pauseMs === 'number' ? pauseMs : pauseMs());
    }
    connection?.destroy();
  }

  #countLost(waitedMs: number): void {
    this.#tally.lost += 1;
    this.#tally.slowestLostMs = Math.max(this.#tally.slowestLostMs, waitedMs);
  }

  #count(answer: WireAnswer): void {
    const tally = this.#tally;
    tally.slowestMs = Math.max(tally.slowestMs, answer.durationMs);
    if (this.#options.keepsDurations) this.durationsMs.push(answer.durationMs);
    if (answer.status === 503) {
      tally.unavailable += 1;
      tally.lastUnavailableAt = performance.now();
    } else if (this.#options.isRight(answer)) {
      tally.answered += 1;
      tally.lastAnsweredAt = performance.now();
    } else if (tally.wrong.length < wrongKept)
      tally.wrong.push(`${answer.head}\n${answer.body}`.slice(0, 400));
  }
}

function emptyTally() {
  return {
    answered: 0,
    unavailable: 0,
    lost: 0,
    wrong: [] as string[],
    slowestMs: 0,
    slowestLostMs: 0,
    lastUnavailableAt: 0,
    lastAnsweredAt: 0,
  };
}
