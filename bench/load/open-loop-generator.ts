import type { AnswerTally } from './answer-tally.ts';
import { FreeConnections } from './free-connections.ts';
import type { OpenLoopLoad } from './open-loop.ts';
import { type Address, type ConnectionEvents, OpenLoopConnection } from './open-loop-connection.ts';
import { OpenLoopPhase } from './open-loop-phase.ts';
import { encodeRequests } from './request-bytes.ts';
import type { BenchRequest } from './request-list.ts';

const backlogSecondsDefault = 10;
/** Most connections that are opened at once. They must fit a listening socket's backlog. */
const connectingMax = 100;
/** Most connections that are reopened. Servers close idle connections, but a server that keeps closing them is at fault. */
const reopenedMax = 1000;

/**
 * Sends each request when it is due. It spins instead of sleeping: a timer wakes once a millisecond at best, and would
 * send a burst each time. A request that finds no free connection waits, and its latency includes the wait.
 */
export class OpenLoopGenerator implements ConnectionEvents {
  readonly #requests: readonly BenchRequest[];
  readonly #bytes: readonly Buffer[];
  readonly #address: Address;
  readonly #tally: AnswerTally;
  readonly #connectionCount: number;
  readonly #backlogMaxMs: number;
  readonly #connections = new Set<OpenLoopConnection>();
  readonly #free: FreeConnections;
  #next = 0;
  #reopened = 0;
  #phase: OpenLoopPhase | null = null;
  #fault: Error | null = null;
  #isClosed = false;

  /** @param tally counts wrong and missing answers */
  constructor({ list, connections, backlogSecondsMax }: OpenLoopLoad, tally: AnswerTally) {
    const { hostname, port } = new URL(list.origin);
    this.#requests = list.requests;
    this.#bytes = encodeRequests(list);
    this.#address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 80 : port) };
    this.#tally = tally;
    this.#connectionCount = connections;
    this.#backlogMaxMs = (backlogSecondsMax ?? backlogSecondsDefault) * 1000;
    this.#free = new FreeConnections(connections);
  }

  /** @throws when the server does not accept all connections */
  async connect(): Promise<void> {
    for (let opened = 0; opened < this.#connectionCount; opened += connectingMax) {
      const batch = Math.min(connectingMax, this.#connectionCount - opened);
      await Promise.all(Array.from({ length: batch }, () => this.#open()));
    }
  }

  /**
   * Sends `total` requests at a rate and waits for their answers.
   *
   * @throws when the server falls too far behind, ends, or does not answer in HTTP
   */
  run(total: number, requestsPerSecond: number): Promise<OpenLoopPhase> {
    const phase = new OpenLoopPhase(total, requestsPerSecond, performance.now());
    this.#phase = phase;
    return new Promise((resolve, reject) => {
      const tick = (): void => {
        this.#sendDue(phase);
        const problem = this.#fault ?? this.#findBacklog(phase);
        if (problem !== null) reject(problem);
        else if (phase.isOver) resolve(phase);
        else setImmediate(tick);
      };
      tick();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.destroy();
  }

  onAnswer(connection: OpenLoopConnection, status: number): void {
    const nowMs = performance.now();
    if (connection.request !== null) this.#tally.countAnswer(connection.request, status);
    this.#phase?.countAnswer(connection.dueMs, nowMs);
    if (!connection.isClosing) this.#free.give(connection, nowMs);
    if (this.#phase !== null) this.#sendDue(this.#phase);
  }

  onClose(connection: OpenLoopConnection): void {
    this.#connections.delete(connection);
    if (this.#isClosed) return;
    if (connection.isWaiting) this.#giveUp(1);
    else this.#free.remove(connection);
    this.#reopened += 1;
    if (this.#reopened > reopenedMax)
      this.onFault(new Error(`the server closed ${this.#reopened} connections`));
    else this.#open().catch((error: Error) => this.onFault(error));
  }

  onFault(error: Error): void {
    this.#fault ??= error;
  }

  async #open(): Promise<void> {
    const connection = await OpenLoopConnection.open(this.#address, this);
    if (this.#isClosed) {
      connection.destroy();
      return;
    }
    this.#connections.add(connection);
    this.#free.give(connection, performance.now());
  }

  #sendDue(phase: OpenLoopPhase): void {
    while (!(phase.isSent || this.#free.isEmpty)) {
      const dueMs = phase.nextDueMs;
      const nowMs = performance.now();
      if (dueMs > nowMs) return;
      phase.countSent(dueMs, this.#free.sinceMs, nowMs);
      this.#send(dueMs);
    }
  }

  #send(dueMs: number): void {
    const connection = this.#free.take();
    const request = this.#requests[this.#next];
    const bytes = this.#bytes[this.#next];
    if (connection === undefined || request === undefined || bytes === undefined)
      throw new Error('there is nothing to send');
    this.#next = this.#next + 1 === this.#requests.length ? 0 : this.#next + 1;
    connection.send(request, bytes, dueMs);
  }

  /**
   * Gives up waiting for answers some time after the last request. A server that falls behind before that is an error.
   */
  #findBacklog(phase: OpenLoopPhase): Error | null {
    if (performance.now() - phase.nextDueMs < this.#backlogMaxMs) return null;
    if (phase.isSent) {
      this.#giveUp(phase.total - phase.settled);
      return null;
    }
    const rate = Math.round(phase.answersPerSecond) || 0;
    return new Error(
      `it fell ${this.#backlogMaxMs / 1000} s behind: it answered ${rate} requests a second; ask for fewer`,
    );
  }

  #giveUp(count: number): void {
    this.#tally.countUnanswered(count);
    if (this.#phase !== null) this.#phase.settled += count;
  }
}
