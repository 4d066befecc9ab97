import { setTimeout } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { watchEventLoop } from '../observability/event-loop.ts';
import type { Logger } from '../observability/logger.ts';
import { count, type MetricCells, observe, put } from '../observability/metric-cells.ts';
import { createThreadLog, LogSender } from '../observability/thread-log.ts';
import { openStoreReader, type StoreReader } from '../storage/store-reader.ts';
import { type StreamMeter, StreamServer } from '../streams/stream-server.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { AddressLimiter } from '../worker/limits/address-limiter.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import { Connections } from './connections.ts';
import { FlagdCalls } from './flagd-calls.ts';
import { flagdEvents } from './flagd-events.ts';
import { UnsentBytes } from './flagd-outlet.ts';
import { type FlagdMessage, type FlagdRequest, type FlagdSetup, flagdMetrics } from './flagd-protocol.ts';
import { FlagdService } from './flagd-service.ts';
import { credentialsOf, readKeyPair } from './tls.ts';

/** How often gauges are updated. */
const metricsEveryMs = 200;
/** How often the clients are counted, and idle connections closed. */
const censusEveryMs = 1000;
/** Addresses whose failed authentications are remembered. */
export const addressesMax = 2 ** 16;
/** How long a stopping service waits until clients have received the end of their streams. */
export const lastMsMax = 500;
const lookEveryMs = 20;
/** Memory for the configurations of all environments that streams follow. */
const streamMemoryMax = 256 * 1024 * 1024;

const { metrics } = flagdMetrics;

/** Serves flagd's providers until the supervisor stops it. The thread ends when no connection is open any more. */
export class FlagdThread {
  readonly #setup: FlagdSetup;
  readonly #post: (message: FlagdMessage) => void;
  readonly #reader: StoreReader;
  readonly #log: Logger;
  readonly #cells: MetricCells;
  readonly #loopWatch: { close(): void };
  readonly #unsent = new UnsentBytes();
  readonly #server: StreamServer;
  readonly #calls: FlagdCalls;
  readonly #connections: Connections;
  readonly #service: FlagdService;
  readonly #timers: NodeJS.Timeout[] = [];
  #hadCensus = false;

  /** @throws Error with a message for the operator when TLS is configured wrongly */
  constructor(setup: FlagdSetup, port: MessagePort) {
    this.#setup = setup;
    this.#post = (message) => port.postMessage(message);
    const sender = new LogSender(setup.logMemory, (lines) => this.#post({ kind: 'log', lines }));
    this.#log = createThreadLog(setup.logLevel, sender).child({ actor: 'flagd' });
    const credentials = credentialsOf(setup.tls === null ? null : readKeyPair(setup.tls));
    this.#cells = new Float64Array(setup.metrics);
    this.#reader = openStoreReader(setup);
    const lease = setup.leaseMemory === null ? null : new LeaseCell(setup.leaseMemory);
    const isAttached = (): boolean => lease?.isValid() ?? true;
    this.#server = new StreamServer({
      ...{ reader: this.#reader, log: this.#log, memoryMax: streamMemoryMax, isAttached },
      meter: this.#meter(),
      storeVersion: setup.storeVersion,
      refresh: () => this.#reader.renew(),
    });
    this.#connections = new Connections({
      connectionsMax: setup.connectionsMax,
      onConnection: (socket) => this.#service.take(socket),
      onIdle: () => count(this.#cells, metrics.cut, 1),
      onFull: () => count(this.#cells, metrics.cut, 2),
    });
    this.#calls = this.#createCalls(isAttached);
    this.#service = new FlagdService({
      credentials,
      open: (call, isOnce) => this.#calls.answer(call, isOnce),
      cut: (peer) => {
        if (this.#connections.cut(peer)) count(this.#cells, metrics.cut, 3);
      },
    });
    this.#loopWatch = watchEventLoop(this.#cells, metrics.loopDelay);
    port.on('message', ({ kind }: FlagdRequest) => {
      const onFault = (fault: unknown): void => this.#log.error({ err: fault }, 'stopping flagd failed');
      if (kind === 'stop') this.#stop(port).catch(onFault);
    });
  }

  #meter(): StreamMeter {
    return {
      putOpen: (_kind, streams) => put(this.#cells, metrics.streams, streams),
      countEvent: () => count(this.#cells, metrics.sent),
      countBytes: () => undefined,
      countEnd: (_kind, reason) => {
        // `FlagdCalls` counts the other reasons by status.
        if (reason === 'slow') count(this.#cells, metrics.cut);
      },
    };
  }

  #createCalls(isAttached: () => boolean): FlagdCalls {
    const { streamsMax, tokenPrefixesAccepted, failedAuthenticationLimit } = this.#setup;
    return new FlagdCalls({
      ...{ streamsMax, tokenPrefixesAccepted, isAttached },
      ...{ server: this.#server, unsent: this.#unsent, cells: this.#cells },
      encoding: flagdEvents((ms) => observe(this.#cells, metrics.translation, 0, ms / 1000)),
      failures: new AddressLimiter(createWindowMemory(addressesMax), failedAuthenticationLimit),
      noteStream: (peer, change) => this.#connections.noteStream(peer, change),
      cutConnection: (peer) => this.#connections.cut(peer),
      onUsed: (use) => this.#post({ kind: 'used', use }),
      onDenied: (denial) => this.#post({ kind: 'denied', denial }),
    });
  }

  /** @throws ListenError when the port cannot be taken */
  async start(): Promise<void> {
    const { host, port } = this.#setup;
    const taken = await this.#connections.listen(host, port);
    this.#timers.push(
      setInterval(() => this.#putMetrics(), metricsEveryMs),
      setInterval(() => this.#postCensus(), censusEveryMs),
    );
    this.#post({ kind: 'ready', port: taken });
  }

  #putMetrics(): void {
    // An open snapshot keeps the writer from reusing pages.
    this.#reader.renew();
    put(this.#cells, metrics.connections, this.#connections.count);
    put(this.#cells, metrics.unsent, this.#unsent.used);
    put(this.#cells, metrics.loopActive, performance.eventLoopUtilization().active / 1000);
  }

  /** Posts the clients of each environment. When there are none any more, it posts that once. */
  #postCensus(): void {
    this.#connections.closeIdle();
    const census = this.#server.census();
    if (census.length > 0 || this.#hadCensus) this.#post({ kind: 'synced', census });
    this.#hadCensus = census.length > 0;
  }

  /** Ends all streams. */
  async #stop(port: MessagePort): Promise<void> {
    if (this.#server.isClosed) return;
    this.#connections.stopListening();
    this.#server.close();
    const until = performance.now() + lastMsMax;
    while (this.#calls.open > 0 && performance.now() < until) await setTimeout(lookEveryMs);
    this.#connections.cutAll();
    this.#service.close();
    await this.close();
    port.close();
  }

  /** After a fault of unknown cause: closes the connections and the store before the thread ends. */
  async fail(fault: unknown): Promise<void> {
    this.#log.error({ err: fault }, 'the flagd thread failed; it is started again');
    this.#connections.stopListening();
    this.#connections.cutAll();
    await this.close();
  }

  /** Closes the store. Nothing is served any more. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#loopWatch.close();
    this.#server.close();
    await this.#reader.close();
  }
}
