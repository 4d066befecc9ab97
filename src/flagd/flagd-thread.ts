import { setTimeout } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { watchEventLoop } from '../observability/event-loop.ts';
import type { Logger } from '../observability/logger.ts';
import { count, type MetricCells, observe, put } from '../observability/metric-cells.ts';
import { createThreadLog, LogSender } from '../observability/thread-log.ts';
import { openStoreReader, type StoreReader } from '../storage/store-reader.ts';
import { assert } from '../support/assert.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { AddressLimiter } from '../worker/limits/address-limiter.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import { EnvironmentWatch } from '../worker/sync/environment-watch.ts';
import type { Refused } from './admission.ts';
import { Configurations } from './configurations.ts';
import { Connections } from './connections.ts';
import { type FlagdMessage, type FlagdRequest, type FlagdSetup, flagdMetrics } from './flagd-protocol.ts';
import { FlagdService } from './flagd-service.ts';
import { FlagdStreams } from './flagd-streams.ts';
import { messageBytesMax } from './read-configuration.ts';
import { SendRoom } from './send-room.ts';
import { credentialsOf, readKeyPair } from './tls.ts';

/** How often the lease of a node is looked at, and metrics are put. */
export const leaseEveryMs = 200;
/** How often tokens and environments of open streams are checked. */
export const checkEveryMs = 10_000;
/** Addresses whose failed authentications are remembered. */
export const addressesMax = 2 ** 16;
/** How often it is told who is connected. */
const censusEveryMs = 1000;
/** Streams that a stopping service ends at once: their clients connect again, elsewhere. */
export const streamsOfBatch = 100;
export const batchEveryMs = 20;
/** How long a stopping service waits until clients have taken the end of their streams. */
export const lastMsMax = 500;

const { metrics } = flagdMetrics;
const stopping: Refused = { status: 'unavailable', detail: 'The service is stopping. Connect again.' };
const detached: Refused = {
  status: 'unavailable',
  detail:
    'This node is cut off from its cluster and does not know the newest state. Connect again, to another node.',
};

/** Serves flagd's providers until it is told to stop. The thread ends when nothing is open any more. */
export class FlagdThread {
  readonly #setup: FlagdSetup;
  readonly #post: (message: FlagdMessage) => void;
  readonly #reader: StoreReader;
  readonly #lease: LeaseCell | null;
  readonly #log: Logger;
  readonly #cells: MetricCells;
  readonly #loopWatch: { close(): void };
  readonly #watch: EnvironmentWatch;
  readonly #room = new SendRoom();
  readonly #configurations: Configurations;
  readonly #streams: FlagdStreams;
  readonly #connections: Connections;
  readonly #service: FlagdService;
  readonly #timers: NodeJS.Timeout[] = [];
  #hadCensus = false;
  #isStopping = false;

  /** @throws Error with a message for people when TLS is set up wrongly */
  constructor(setup: FlagdSetup, port: MessagePort) {
    this.#setup = setup;
    this.#post = (message) => port.postMessage(message);
    const sender = new LogSender(setup.logMemory, (lines) => this.#post({ kind: 'log', lines }));
    this.#log = createThreadLog(setup.logLevel, sender).child({ actor: 'flagd' });
    const onFault = (fault: unknown): void => this.#log.error({ err: fault }, 'flagd’s sync failed');
    const credentials = credentialsOf(setup.tls === null ? null : readKeyPair(setup.tls));
    assert(this.#room.messageBytesMax >= messageBytesMax, 'there is room for the largest configuration');
    this.#cells = new Float64Array(setup.metrics);
    this.#lease = setup.leaseMemory === null ? null : new LeaseCell(setup.leaseMemory);
    this.#reader = openStoreReader(setup);
    const refresh = (): void => this.#reader.renew();
    const { storeVersion } = setup;
    this.#watch = new EnvironmentWatch({ reader: this.#reader, refresh, storeVersion, onFault });
    this.#configurations = new Configurations({
      watch: this.#watch,
      onProjectChange: () => this.#checkAll(),
      onTranslation: (ms) => observe(this.#cells, metrics.translation, 0, ms / 1000),
      onFault,
    });
    this.#connections = new Connections({
      connectionsMax: setup.connectionsMax,
      onConnection: (socket) => this.#service.take(socket),
      onIdle: () => count(this.#cells, metrics.cut, 1),
      onCrowded: () => count(this.#cells, metrics.cut, 2),
    });
    this.#streams = this.#createStreams();
    this.#service = new FlagdService({
      credentials,
      open: (call, isOnce) => this.#streams.open(call, isOnce),
      cut: (peer) => {
        if (this.#connections.cut(peer)) count(this.#cells, metrics.cut, 3);
      },
    });
    this.#loopWatch = watchEventLoop(this.#cells, metrics.loopDelay);
    port.on('message', ({ kind }: FlagdRequest) => {
      if (kind === 'stop') this.#stop(port).catch(onFault);
    });
  }

  #createStreams(): FlagdStreams {
    const { streamsMax, tokenPrefixesAccepted, failedAuthenticationLimit } = this.#setup;
    return new FlagdStreams({
      ...{ streamsMax, tokenPrefixesAccepted, queries: this.#reader.queries, cells: this.#cells },
      ...{ configurations: this.#configurations, room: this.#room },
      failures: new AddressLimiter(createWindowMemory(addressesMax), failedAuthenticationLimit),
      refresh: () => this.#reader.renew(),
      refusalOfAll: () => this.#refusalOfAll(),
      noteStream: (peer, change) => this.#connections.noteStream(peer, change),
      cut: (peer) => this.#connections.cut(peer),
      onUsed: (use) => this.#post({ kind: 'used', use }),
      onDenied: (denial) => this.#post({ kind: 'denied', denial }),
    });
  }

  /** @throws ListenError when the port cannot be taken */
  async start(): Promise<void> {
    const { host, port } = this.#setup;
    const taken = await this.#connections.listen(host, port);
    this.#timers.push(
      setInterval(() => this.#look(), leaseEveryMs),
      setInterval(() => this.#check(), checkEveryMs),
      setInterval(() => this.#tellCensus(), censusEveryMs),
    );
    this.#post({ kind: 'ready', port: taken });
  }

  #refusalOfAll(): Refused | null {
    if (this.#isStopping) return stopping;
    return this.#lease === null || this.#lease.isValid() ? null : detached;
  }

  #look(): void {
    const refused = this.#streams.count === 0 ? null : this.#refusalOfAll();
    if (refused !== null) this.#streams.endSome(Number.POSITIVE_INFINITY, refused);
    // An open snapshot would keep pages from reuse.
    this.#reader.renew();
    put(this.#cells, metrics.connections, this.#connections.count);
    put(this.#cells, metrics.streams, this.#streams.count);
    put(this.#cells, metrics.unsent, this.#room.heldBytes);
    put(this.#cells, metrics.loopActive, performance.eventLoopUtilization().active / 1000);
  }

  /** Tells who is connected, and once that nobody is any more. */
  #tellCensus(): void {
    const census = this.#streams.census(monotonicMs());
    if (census.length > 0 || this.#hadCensus) this.#post({ kind: 'synced', census });
    this.#hadCensus = census.length > 0;
  }

  #check(): void {
    this.#checkAll();
    this.#streams.cutSlow();
    this.#connections.closeIdle();
  }

  #checkAll(): void {
    this.#reader.renew();
    this.#streams.checkAll();
  }

  /** Ends all streams, in batches, so that their clients do not connect elsewhere all at once. */
  async #stop(port: MessagePort): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#connections.stopListening();
    while (this.#streams.hasUnended) {
      this.#streams.endSome(streamsOfBatch, stopping);
      await setTimeout(batchEveryMs);
    }
    const until = performance.now() + lastMsMax;
    while (this.#streams.count > 0 && performance.now() < until) await setTimeout(batchEveryMs);
    this.#connections.cutAll();
    this.#service.close();
    await this.close();
    port.close();
  }

  /** Nobody knows what is wrong: connections are closed, and so is the store, before the thread ends. */
  async fail(fault: unknown): Promise<void> {
    this.#log.error({ err: fault }, 'the thread of flagd’s sync ends, and is started again');
    this.#isStopping = true;
    this.#connections.stopListening();
    this.#connections.cutAll();
    await this.close();
  }

  /** Closes the store. Nothing is served any more. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#loopWatch.close();
    this.#watch.close();
    await this.#configurations.close();
    await this.#reader.close();
  }
}
