import { setTimeout as pause } from 'node:timers/promises';
import { ConsoleClient } from '../../console/console-client.ts';
import { eventually } from '../../support/expectations.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import { getRequest, type WireAnswer, WireConnection } from '../wire-connection.ts';
import { type ChangeOutcome, isDetached, outcomeOf } from './cluster-answers.ts';
import { type ClusterStage, type NodePlace, owner } from './cluster-stage.ts';

/** Newest values that a flag still names: a reader checks one of them while no more than these have followed. */
const valuesKept = 8;
const writers = 8;
const readersPerNode = 2;
const createdMax = 400;
/** An evaluation of a node that stands still is not counted; any other is answered within this. */
export const answerMsMax = 5000;

/** A flag that one writer changes: each change gives it the next number. */
export interface WatchedFlag {
  readonly id: string;
  /** The newest number that was sent, stored for certain, and acknowledged. */
  sent: number;
  stored: number;
  acknowledged: number;
  /** Nobody knows what became of `sent`: the flag is not changed any more. */
  isUncertain: boolean;
  /** What was stored and acknowledged when the database was copied: whatever is restored has it. */
  kept: { readonly stored: number; readonly acknowledged: number };
  /** Changes after `stored` are lost by declaration, as far as they were made: any of them may be the newest. */
  isLost: boolean;
}

function newFlag(id: string): WatchedFlag {
  const kept = { stored: 0, acknowledged: 0 };
  return { id, sent: 0, stored: 0, acknowledged: 0, isUncertain: false, kept, isLost: false };
}

export interface LoadCounts {
  acknowledged: number;
  unconfirmed: number;
  uncertain: number;
  refused: number;
  evaluations: number;
  checked: number;
  stale: number;
  detached: number;
  revokedChecked: number;
  longestChangeMs: number;
  longestAnswerMs: number;
}

/** What clients do, and the answers that they got. */
export class ClusterLoad {
  readonly flags: WatchedFlag[] = [];
  /** Names of flags by what their creation was answered. */
  readonly created = {
    acknowledged: new Set<string>(),
    stored: new Set<string>(),
    refused: new Set<string>(),
  };
  readonly revoked: { readonly secret: string }[] = [];
  readonly faults: string[] = [];
  readonly counts: LoadCounts = {
    ...{ acknowledged: 0, unconfirmed: 0, uncertain: 0, refused: 0, evaluations: 0, checked: 0, stale: 0 },
    ...{ detached: 0, revokedChecked: 0, longestChangeMs: 0, longestAnswerMs: 0 },
  };
  readonly #stage: ClusterStage;
  readonly #random: Random;
  readonly #run: string;
  readonly #readers = new Set<NodePlace>();
  readonly #tasks: Promise<unknown>[] = [];
  readonly #writers: Promise<unknown>[] = [];
  #createdCount = 0;
  #isOver = false;
  #isWriting = true;
  /** How often the database was restored: answers of before are of a history that is lost. */
  #history = 0;
  /** Nothing may be done that cannot be declared lost. */
  #isHeld = false;
  /** Creations and revocations that are under way. */
  #delicate = 0;

  constructor(stage: ClusterStage, random: Random, run: string) {
    this.#stage = stage;
    this.#random = random;
    this.#run = run;
    for (const id of stage.flags) this.flags.push(newFlag(id));
  }

  start(t: Lifetime): void {
    for (let writer = 0; writer < writers; writer += 1) this.#writers.push(this.#write(writer));
    this.#writers.push(this.#revoke(t));
    this.readAll();
  }

  /** Readers of every place that has none yet. */
  readAll(): void {
    for (const place of this.#stage.places) {
      if (this.#readers.has(place)) continue;
      this.#readers.add(place);
      for (let reader = 0; reader < readersPerNode; reader += 1) {
        this.#tasks.push(this.#read(place, this.#random.fork(this.#tasks.length + 1000)));
      }
    }
  }

  /** @returns once every change that was sent is answered */
  async stopWriting(): Promise<void> {
    this.#isWriting = false;
    await Promise.all(this.#writers);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#isWriting = false;
    await Promise.all([...this.#tasks, ...this.#writers]);
  }

  get historiesLost(): number {
    return this.#history;
  }

  /** @returns once only changes of flags are under way, until `loseHistory` */
  async hold(withinMs: number): Promise<void> {
    this.#isHeld = true;
    await eventually(() => this.#delicate === 0, withinMs, 'creations and revocations are answered');
  }

  /** The database, which stands still, is copied. */
  keep(): void {
    for (const flag of this.flags) flag.kept = { stored: flag.stored, acknowledged: flag.acknowledged };
  }

  /** The database has ended, and what it was at `keep` takes its place. */
  loseHistory(): void {
    this.#history += 1;
    for (const flag of this.flags) Object.assign(flag, flag.kept, { isLost: true });
    this.#isHeld = false;
  }

  #pickServer(random: Random): { readonly port: number } | null {
    const alive = this.#stage.places.filter(({ server, isSilent }) => server !== null && !isSilent);
    return alive.length === 0 ? null : random.pick(alive).server;
  }

  async #write(writer: number): Promise<void> {
    const random = this.#random.fork(writer + 100);
    let own = this.flags.filter((_, index) => index % writers === writer);
    while (this.#isWriting) {
      const server = this.#pickServer(random);
      own = own.filter(({ isUncertain }) => !isUncertain);
      if (server === null) await pause(20);
      else if (!this.#isHeld && (own.length === 0 || random.chance(0.1))) {
        const name = `${this.#run} ${writer} ${this.#createdCount}`;
        const flag = await this.#delicately(() => this.#create(server.port, name));
        if (flag !== null && own.length < 3) own.push(flag);
      } else if (own.length > 0) await this.#patch(server.port, random.pick(own));
      await pause(random.integer(0, 15));
    }
  }

  async #delicately<T>(work: () => Promise<T>): Promise<T> {
    this.#delicate += 1;
    try {
      return await work();
    } finally {
      this.#delicate -= 1;
    }
  }

  async #create(port: number, name: string): Promise<WatchedFlag | null> {
    if (this.#createdCount >= createdMax) return null;
    this.#createdCount += 1;
    const state = { enabled: true, trafficPercentage: 0, cohorts: ['v0'] };
    const answer = await this.#change(port, 'POST', '/api/v1/flags', { name, ...state });
    if (answer.outcome === 'refused') this.created.refused.add(name);
    if (answer.outcome === 'stored') this.created.stored.add(name);
    if (answer.outcome !== 'acknowledged') return null;
    this.created.acknowledged.add(name);
    const { id } = JSON.parse(answer.body) as { id: string };
    const flag = newFlag(id);
    this.flags.push(flag);
    return flag;
  }

  async #patch(port: number, flag: WatchedFlag): Promise<void> {
    flag.sent += 1;
    const number = flag.sent;
    const history = this.#history;
    const cohorts = Array.from(
      { length: Math.min(valuesKept, number + 1) },
      (_, back) => `v${number - back}`,
    );
    const { outcome } = await this.#change(port, 'PATCH', `/api/v1/flags/${flag.id}`, { cohorts });
    if (outcome === 'uncertain') flag.isUncertain = true;
    // It was of a history that is lost.
    if (history !== this.#history) return;
    if (outcome === 'acknowledged') flag.acknowledged = number;
    if (outcome !== 'acknowledged' && outcome !== 'stored') return;
    flag.stored = number;
    flag.isLost = false;
  }

  async #change(
    port: number,
    method: string,
    path: string,
    body: object,
  ): Promise<{
    readonly outcome: Exclude<ChangeOutcome, 'fault'>;
    readonly body: string;
  }> {
    const startedAt = performance.now();
    const headers = { Authorization: `Bearer ${this.#stage.secret}` };
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...{ method, headers, body: JSON.stringify(body) },
        signal: AbortSignal.timeout(40_000),
      });
      const text = await answer.text();
      this.counts.longestChangeMs = Math.max(this.counts.longestChangeMs, performance.now() - startedAt);
      return { outcome: this.#judgeAnswer(answer.status, text, `${method} ${path}`), body: text };
    } catch {
      this.counts.uncertain += 1;
      return { outcome: 'uncertain', body: '' };
    }
  }

  #judgeAnswer(status: number, text: string, what: string): Exclude<ChangeOutcome, 'fault'> {
    const outcome = outcomeOf(status, text);
    if (outcome === 'fault') this.faults.push(`${what}: ${status} ${text}`);
    if (outcome === 'acknowledged') this.counts.acknowledged += 1;
    else if (outcome === 'stored') this.counts.unconfirmed += 1;
    else if (outcome === 'refused') this.counts.refused += 1;
    else this.counts.uncertain += 1;
    return outcome === 'fault' ? 'uncertain' : outcome;
  }

  /** Asks a node that was killed, or that stands still, again and again; and all others as fast as they answer. */
  async #read(place: NodePlace, random: Random): Promise<void> {
    let connection: WireConnection | null = null;
    for (let turn = 0; !this.#isOver; turn += 1) {
      const { server } = place;
      if (server === null) await pause(20);
      else if (connection === null || connection.isLost) {
        connection = await WireConnection.open(server.port).catch(() => null);
        if (connection === null) await pause(20);
      } else {
        if (turn % 50 === 49) await this.#askWithRevoked(connection, random);
        else await this.#evaluate(place, connection, random.pick(this.flags));
        if (turn % 20 === 0) await pause(1);
      }
    }
    connection?.destroy();
  }

  async #evaluate(place: NodePlace, connection: WireConnection, flag: WatchedFlag): Promise<void> {
    const { server } = place;
    const { acknowledged } = flag;
    const history = this.#history;
    const startedAt = performance.now();
    const wasSilent = place.isSilent;
    const answer = await connection
      .ask(getRequest(`/v1/flags/${flag.id}?cohort=v${acknowledged}`))
      .catch(() => null);
    const tookMs = performance.now() - startedAt;
    const isDisturbed = wasSilent || place.isSilent || place.server !== server;
    if (!isDisturbed) this.#noteAnswer(place, tookMs, answer);
    if (answer === null) return;
    this.counts.evaluations += 1;
    if (isDetached(answer)) {
      this.counts.detached += 1;
      return;
    }
    if (answer.status !== 200) {
      this.faults.push(`an evaluation of ${place.name}: ${answer.status} ${answer.body}`);
      return;
    }
    if (flag.sent - acknowledged >= valuesKept || history !== this.#history) return;
    this.counts.checked += 1;
    if (answer.body.includes('"enabled":true')) return;
    this.counts.stale += 1;
    if (this.counts.stale <= 5)
      this.faults.push(
        `stale: ${place.name} had ${flag.id} without v${acknowledged}, after ${Math.round(tookMs)} ms`,
      );
  }

  #noteAnswer({ name }: NodePlace, tookMs: number, answer: WireAnswer | null): void {
    this.counts.longestAnswerMs = Math.max(this.counts.longestAnswerMs, tookMs);
    if (answer === null) this.faults.push(`${name} closed a connection without an answer`);
    else if (tookMs > answerMsMax)
      this.faults.push(`${name} answered an evaluation after ${Math.round(tookMs)} ms`);
  }

  /** A node without a lease refuses the Management API altogether. */
  async #askWithRevoked(connection: WireConnection, random: Random): Promise<void> {
    if (this.revoked.length === 0) return;
    const { secret } = random.pick(this.revoked);
    const id = this.#stage.flags[0] ?? '';
    const answer = await connection.ask(getRequest(`/api/v1/flags/${id}`, secret)).catch(() => null);
    if (answer === null || answer.status === 503) return;
    this.counts.revokedChecked += 1;
    if (answer.status !== 401) this.faults.push(`a revoked token was answered ${answer.status}`);
  }

  async #revoke(t: Lifetime): Promise<void> {
    const random = this.#random.fork(7);
    for (const token of this.#stage.tokens) {
      for (let waited = 0; (waited < 60 || this.#isHeld) && this.#isWriting; waited += 1) await pause(25);
      const server = this.#isWriting ? this.#pickServer(random) : null;
      if (server === null) continue;
      const client = new ConsoleClient(t, { port: server.port });
      const path = `/projects/${this.#stage.projectId}/tokens/${token.id}/revoke`;
      const answer = await this.#delicately(() =>
        client
          .send('POST', '/session', owner)
          .then((signed) => (signed.status === 200 ? client.send('POST', path, {}) : signed))
          .catch(() => null),
      );
      if (answer !== null && answer.status >= 400 && answer.status !== 503)
        this.faults.push(`a token was revoked: ${answer.status} ${answer.text}`);
      if (answer !== null && answer.status < 400) this.revoked.push(token);
    }
  }
}
