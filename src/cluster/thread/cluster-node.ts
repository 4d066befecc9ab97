import type { MessagePort } from 'node:worker_threads';
import { FailureLog, pauseUntil, type Retries, tryAgain } from '../../observability/failure-log.ts';
import type { Logger } from '../../observability/logger.ts';
import type { LeaseCell } from '../../support/lease-cell.ts';
import { type CallHandlers, PortCalls } from '../../support/port-calls.ts';
import { newId } from '../../support/random-id.ts';
import type { ClusterQuestions, NodesAnswer } from '../client/cluster-protocol.ts';
import type { ClusterCalls, PlaceMessage, ReplicaCalls } from '../client/replica-protocol.ts';
import { countAttempts, giveBackAttempts } from '../sql/attempt-statements.ts';
import type { ClusterUrl } from '../sql/cluster-url.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { confirmHead, readClusterHead } from '../sql/head-statements.ts';
import { hasLeaseholders } from '../sql/node-statements.ts';
import { NewerSchemaError } from '../sql/schema.ts';
import { AcknowledgementWatch } from './acknowledgement-watch.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { Committer } from './committer.ts';
import { Follower, type NeedsStateError } from './follower.ts';
import { Incarnations } from './incarnations.ts';
import { Membership, renewalsPerLease, requireSameStore } from './membership.ts';
import { NewerLogError } from './newer-log.ts';
import { readNodeList } from './node-list.ts';
import { type LinkOptions, PrimaryLink } from './primary-link.ts';
import { ReplicaClient, type ReplicaPort } from './replica-client.ts';
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
  /** Leads to the writer's replica. */
  readonly replicaPort: MessagePort;
  /** Only another setting or another directory helps. */
  onFatal(fault: unknown): void;
}

/** After a read of the cluster that failed, until the next. */
const againMs = 100;
/** After a state was not taken over, at most: each attempt reads it from its beginning. */
const takeOverAgainMsMax = 10_000;

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
  /** What the main thread asks. */
  readonly questions: CallHandlers<ClusterQuestions> = {
    listNodes: () => this.#orNull('the nodes could not be listed', () => this.#listNodes()),
    countAttempts: ({ keys, windowMs }) =>
      this.#orNull('an attempt to sign in, or a report of usage, was not counted for all nodes', async () =>
        countAttempts(await this.#countingLink.get(), keys, windowMs),
      ),
    giveBackAttempts: async (keys) => {
      await this.#orNull('an attempt to sign in was not given back', async () =>
        giveBackAttempts(await this.#countingLink.get(), keys),
      );
      return null;
    },
  };
  readonly #handlers: CallHandlers<ClusterCalls> = {
    storeId: () => this.#storeId(),
    opened: (args) => this.#opened(args.storeId, args.place),
    commit: (args) => this.#committer.commit(args),
    lock: (args) => this.#committer.lock(args),
    unlock: () => this.#committer.unlock(),
    verify: (args) => this.#committer.verify(args),
    confirm: ({ position, losses, since, place }) => {
      this.#replica.moved(place);
      return this.#acknowledgements.everywhere(position, losses, since);
    },
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
  /** For attempts to sign in, and reports of usage: what takes too long there ends no duty. */
  readonly #countingLink: PrimaryLink;
  readonly #committer: Committer;
  readonly #watch: AcknowledgementWatch;
  readonly #port: ReplicaPort;
  readonly #replica: ReplicaClient;
  readonly #follower: Follower;
  readonly #membership: Membership;
  readonly #usage: UsageExchange;
  readonly #upkeep: Upkeep;
  readonly #stopped = new AbortController();
  #self: string;
  #failedTakeOvers = 0;
  /** Why a state is to be taken over, until one was: said once. */
  #takenOverFor: string | null = null;
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
    this.#link = { url: options.url, schema: options.schema, self, incarnations, gate };
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
    this.#caringLink = new PrimaryLink({
      ...this.#link,
      onConnected: async () => meter.countConnection('upkeep'),
    });
    this.#countingLink = new PrimaryLink(this.#link);
    this.#watch = new AcknowledgementWatch({
      ...{ acknowledgements: this.#acknowledgements, writing: this.#writing },
      ...{ readEveryMs: options.leaseMs / renewalsPerLease, log: options.log },
      isBusy: () => this.#committer.isBusy,
    });
    this.#port = new PortCalls<ReplicaCalls, ClusterCalls>(options.replicaPort, this.#handlers);
    this.#replica = new ReplicaClient(this.#port, (position) => {
      meter.showPosition(position);
      this.#follower.applied(position);
    });
    this.#follower = new Follower({ replica: this.#replica, self, log: options.log, meter });
    this.#committer = new Committer(this.#writing, this.#acknowledgements, meter, this.#follower);
    this.#membership = new Membership({
      ...options,
      ...{ link: this.#listening, replica: this.#replica, follower: this.#follower, self },
      acknowledgements: this.#acknowledgements,
      startAnew: (why) => this.#startAnew(why),
    });
    this.#usage = new UsageExchange(this.#port);
    this.#upkeep = new Upkeep({
      ...options,
      link: this.#caringLink,
      onTurn: (connection) => this.#usage.exchangeIfDue(connection),
    });
  }

  /** A new directory is to become a part of the cluster: without PostgreSQL nobody knows of which. */
  #storeId(): Promise<string> {
    const isFinal = (fault: unknown): boolean =>
      fault instanceof NewerSchemaError || fault instanceof ClusterClosedError;
    const retries = { ...this.#retries('the cluster cannot be asked yet; it is tried again'), isFinal };
    return tryAgain(retries, async () => {
      const { store, closedAt } = await readClusterHead(await this.#listening.get());
      if (closedAt !== null) throw new ClusterClosedError();
      return store;
    });
  }

  #retries(words: string): Retries {
    return { failures: new FailureLog(this.#options.log, words), againMs, stopped: this.#stopped.signal };
  }

  /** @returns once there is a state that can be served: the one that lies here, or that of the cluster */
  async #opened(storeId: string, place: PlaceMessage): Promise<null> {
    this.#replica.moved(place);
    if (place.position === 0) {
      requireSameStore(storeId, await this.#storeId());
      const words = 'the state of the cluster was not read to its end; it is tried again';
      const isFinal = (fault: unknown): boolean => fault instanceof NewerLogError;
      // PostgreSQL may have been set back while all nodes were stopped: who was there would have seen it.
      const isUnattended = async (connection: SqlConnection): Promise<boolean> =>
        !(await hasLeaseholders(connection, this.#options.leaseMs));
      await tryAgain({ ...this.#retries(words), isFinal }, () =>
        this.#takeOver('the directory is new', isUnattended),
      );
    }
    this.#watch.start();
    this.#running = this.#membership.run(storeId);
    this.#running.catch((fault: unknown) => this.#options.onFatal(fault));
    this.#caring = this.#upkeep.run();
    return null;
  }

  /** What this node has told others was about another history: it gets a new name. */
  async #startAnew({ message, isLoss }: NeedsStateError): Promise<void> {
    if (isLoss) this.#acknowledgements.historyLost();
    else this.#acknowledgements.renamed();
    this.#self = newId();
    // Its duties belong to a connection that has the name of before.
    await this.#caringLink.end();
    await this.#takeOver(message, async () => isLoss);
    await this.#usage.restart();
  }

  async #takeOver(
    reason: string,
    isOfAnotherPast: (connection: SqlConnection) => Promise<boolean>,
  ): Promise<void> {
    const { log, meter } = this.#options;
    if (reason !== this.#takenOverFor)
      log.warn({ reason }, 'the replica takes over the state of the cluster');
    this.#takenOverFor = reason;
    const { position, written } = await this.#orWait(
      takeOverState(this.#link, this.#replica, isOfAnotherPast),
    );
    this.#takenOverFor = null;
    this.#follower.restart(position);
    meter.countTakeOver();
    log.info({ position, written }, 'the replica has taken over the state of the cluster');
  }

  /** What cannot succeed now, as on a full disk, is not tried at once again: the wait doubles with each failure. */
  async #orWait<T>(taking: Promise<T>): Promise<T> {
    try {
      const taken = await taking;
      this.#failedTakeOvers = 0;
      return taken;
    } catch (fault) {
      const waitMs = Math.min(takeOverAgainMsMax, againMs * 2 ** this.#failedTakeOvers);
      this.#failedTakeOvers += 1;
      if (!(fault instanceof NewerLogError)) await pauseUntil(waitMs, this.#stopped.signal);
      throw fault;
    }
  }

  /** @throws Error where PostgreSQL does not answer */
  #listNodes(): Promise<NodesAnswer> {
    return readNodeList(this.#link, this.#options.leaseMs);
  }

  async #tellLastUsage(): Promise<void> {
    try {
      await this.#usage.push(await this.#caringLink.get());
    } catch (fault) {
      const reason = (fault as Error).message;
      this.#options.log.warn({ reason }, 'the last counts could not be told to the other nodes');
    }
  }

  /** @returns null where PostgreSQL does not answer; @param words for the log */
  async #orNull<T>(words: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (fault) {
      this.#options.log.debug({ reason: (fault as Error).message }, words);
      return null;
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#watch.stop();
    await this.#upkeep.stop();
    await this.#membership.stop();
    await this.#writing.end();
    await this.#countingLink.end();
    await this.#running.catch(() => undefined);
    await this.#caring;
  }

  /** Nothing is asked of the replica any more. */
  close(): void {
    this.#port.close();
  }
}
