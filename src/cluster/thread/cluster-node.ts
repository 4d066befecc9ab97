import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.ts';
import type { LeaseCell } from '../../support/lease-cell.ts';
import { newId } from '../../support/random-id.ts';
import type { NodesAnswer } from '../client/cluster-protocol.ts';
import type { PlaceMessage } from '../client/replica-protocol.ts';
import type { ClusterUrl } from '../sql/cluster-url.ts';
import { confirmHead, readClusterHead } from '../sql/head-statements.ts';
import { NewerSchemaError } from '../sql/schema.ts';
import { AcknowledgementWatch } from './acknowledgement-watch.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { Committer } from './committer.ts';
import { Follower } from './follower.ts';
import { Incarnations } from './incarnations.ts';
import { Membership, renewalsPerLease, requireSameStore } from './membership.ts';
import { readNodeList } from './node-list.ts';
import { type LinkOptions, PrimaryLink } from './primary-link.ts';
import { type ClusterHandlers, ReplicaClient, type ReplicaPort } from './replica-client.ts';
import { SchemaGate } from './schema-gate.ts';
import { takeOverState } from './take-over-state.ts';
import { Upkeep } from './upkeep.ts';
import { UsageExchange } from './usage-exchange.ts';

export interface ClusterNodeOptions {
  readonly url: ClusterUrl;
  readonly schema: string;
  /** Of this process, until its replica has to start anew. */
  readonly node: string;
  readonly label: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly wait: 'all' | 'none';
  readonly lease: LeaseCell;
  /** Valid while this node is to send mails; null where it has no mail server. */
  readonly mail: LeaseCell | null;
  readonly log: Logger;
  readonly meter: ClusterMeter;
  /** Only another setting or another directory helps. */
  onFatal(fault: unknown): void;
}

/** After a read of the cluster that failed, until the next. */
const againMs = 100;

/** Nobody can become a node any more. */
class ClusterClosedError extends Error {
  constructor() {
    super(
      'The cluster was closed by `burgee cluster leave`: its store is served by a single node. Without BURGEE_CLUSTER_URL this ' +
        'service is alone, too; `burgee cluster create` makes a cluster again.',
    );
  }
}

/** The parts of a node, put together: what they ask of one another goes through here. */
export class ClusterNode {
  readonly handlers: ClusterHandlers = {
    storeId: () => this.#storeId(),
    opened: (args) => this.#opened(args.storeId, args.place),
    commit: (args) => this.#committer.commit(args),
    lock: (args) => this.#committer.lock(args),
    unlock: () => this.#committer.unlock(),
    verify: (args) => this.#committer.verify(args),
    confirm: ({ position }) => this.#acknowledgements.everywhere(position),
    tellLastUsage: async () => {
      await this.#tellLastUsage();
      return null;
    },
    applied: (place) => {
      this.#replica.moved(place);
      return null;
    },
  };
  readonly #options: ClusterNodeOptions;
  readonly #link: LinkOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #writing: PrimaryLink;
  readonly #listening: PrimaryLink;
  /** For what is done every few seconds. */
  readonly #caringLink: PrimaryLink;
  readonly #committer: Committer;
  readonly #watch: AcknowledgementWatch;
  #isStopping = false;
  #self: string;
  #parts: {
    readonly replica: ReplicaClient;
    readonly follower: Follower;
    readonly membership: Membership;
    readonly usage: UsageExchange;
    readonly upkeep: Upkeep;
  } | null = null;
  #running: Promise<void> = Promise.resolve();
  #caring: Promise<void> = Promise.resolve();

  constructor(options: ClusterNodeOptions) {
    this.#options = options;
    this.#self = options.node;
    const self = (): string => this.#self;
    this.#acknowledgements = new Acknowledgements({ ...options, self });
    const incarnations = new Incarnations(() => this.#acknowledgements.hold());
    const gate = new SchemaGate((versions) =>
      options.log.info(versions, "the cluster's tables were migrated to a newer version"),
    );
    this.#link = { url: options.url, schema: options.schema, node: options.node, incarnations, gate };
    const { meter } = options;
    this.#writing = new PrimaryLink({
      ...this.#link,
      onConnected: async (connection) => {
        meter.countConnection('commits');
        // What is found stored after a crash would be acknowledged without its standby.
        await confirmHead(connection);
        this.#acknowledgements.forgetPeers();
      },
    });
    const onConnected = async (): Promise<void> => meter.countConnection('following');
    this.#listening = new PrimaryLink({ ...this.#link, onConnected });
    this.#caringLink = new PrimaryLink(this.#link);
    this.#committer = new Committer(this.#writing, this.#acknowledgements, meter, (rows) =>
      this.#parts?.follower.noteFetched(rows),
    );
    this.#watch = new AcknowledgementWatch({
      ...{ acknowledgements: this.#acknowledgements, writing: this.#writing },
      ...{ readEveryMs: options.leaseMs / renewalsPerLease, log: options.log },
    });
  }

  start(port: ReplicaPort): void {
    const { log, meter } = this.#options;
    const self = (): string => this.#self;
    const replica: ReplicaClient = new ReplicaClient(port, (position) => {
      meter.showPosition(position);
      follower.applied(position);
    });
    const follower = new Follower({ replica, self, log, meter });
    const membership = new Membership({
      ...this.#options,
      ...{ link: this.#listening, replica, follower, self },
      acknowledgements: this.#acknowledgements,
      startAnew: (reason) => this.#startAnew(reason),
    });
    const usage = new UsageExchange(port);
    const upkeep = new Upkeep({
      ...this.#options,
      link: this.#caringLink,
      onTurn: (connection) => usage.exchangeIfDue(connection),
    });
    this.#parts = { replica, follower, membership, usage, upkeep };
  }

  get #replica(): ReplicaClient {
    if (this.#parts === null) throw new Error('the node has not started');
    return this.#parts.replica;
  }

  /** A new directory is to become a part of the cluster: without PostgreSQL nobody knows of which. */
  async #storeId(): Promise<string> {
    const { log } = this.#options;
    for (let told = ''; ; ) {
      try {
        const { store, closedAt } = await readClusterHead(await this.#listening.get());
        if (closedAt !== null) throw new ClusterClosedError();
        return store;
      } catch (fault) {
        if (fault instanceof NewerSchemaError || fault instanceof ClusterClosedError) throw fault;
        const reason = (fault as Error).message;
        if (reason !== told) log.warn({ reason }, 'the cluster cannot be asked yet; it is tried again');
        told = reason;
        await pause(againMs);
      }
    }
  }

  /** @returns once there is a state that can be served: the one that lies here, or that of the cluster */
  async #opened(storeId: string, place: PlaceMessage): Promise<null> {
    const { membership, replica, upkeep } = this.#parts ?? {};
    if (membership === undefined || replica === undefined || upkeep === undefined)
      throw new Error('the node has not started');
    replica.moved(place);
    if (place.position === 0) {
      requireSameStore(storeId, await this.#storeId());
      await this.#begin();
    }
    this.#watch.start();
    this.#running = membership.run(storeId);
    this.#running.catch((fault: unknown) => this.#options.onFatal(fault));
    this.#caring = upkeep.run();
    return null;
  }

  /** PostgreSQL may go away while its state is read. */
  async #begin(): Promise<void> {
    for (let told = ''; !this.#isStopping; ) {
      try {
        return await this.#takeOver('the directory is new');
      } catch (fault) {
        const reason = (fault as Error).message;
        if (reason !== told)
          this.#options.log.warn(
            { reason },
            'the state of the cluster was not read to its end; it is tried again',
          );
        told = reason;
        await pause(againMs);
      }
    }
  }

  /** What this node has told others was about another history: it gets a new name. */
  async #startAnew(reason: string): Promise<void> {
    this.#acknowledgements.historyLost();
    this.#self = newId();
    await this.#takeOver(reason);
    await this.#parts?.usage.restart();
  }

  async #takeOver(reason: string): Promise<void> {
    const { log, meter } = this.#options;
    const { replica, follower } = this.#parts ?? {};
    if (replica === undefined || follower === undefined) throw new Error('the node has not started');
    log.warn({ reason }, 'the replica takes over the state of the cluster');
    const { position, written } = await takeOverState(this.#link, replica, this.#self);
    follower.restart(position);
    meter.countTakeOver();
    log.info({ position, written }, 'the replica has taken over the state of the cluster');
  }

  /** @throws Error where PostgreSQL does not answer */
  listNodes(): Promise<NodesAnswer> {
    return readNodeList(this.#link, this.#self, this.#options.leaseMs);
  }

  async #tellLastUsage(): Promise<void> {
    try {
      await this.#parts?.usage.push(await this.#caringLink.get());
    } catch (fault) {
      const reason = (fault as Error).message;
      this.#options.log.warn({ reason }, 'the last counts could not be told to the other nodes');
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#watch.stop();
    await this.#parts?.upkeep.stop();
    await this.#parts?.membership.stop();
    await this.#writing.end();
    await this.#running.catch(() => undefined);
    await this.#caring;
  }
}
