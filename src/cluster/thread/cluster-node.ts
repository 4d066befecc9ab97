import type { MessagePort } from 'node:worker_threads';
import type { ClusterUrl } from '../../config/cluster-url.ts';
import { FailureLog, pauseUntil, type Retries, tryAgain } from '../../observability/failure-log.ts';
import type { Logger } from '../../observability/logger.ts';
import type { DatabaseName } from '../../storage/keys.ts';
import { encodeContent } from '../../storage/replica/log-row.ts';
import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import type { LeaseCell } from '../../support/lease-cell.ts';
import { type CallHandlers, PortCalls } from '../../support/port-calls.ts';
import { newId } from '../../support/random-id.ts';
import type { ClusterQuestions, NodesAnswer } from '../client/cluster-protocol.ts';
import type { ClusterCalls, ReplicaCalls } from '../client/replica-protocol.ts';
import { countAttempts, giveBackAttempts } from '../sql/attempt-statements.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { confirmHead, readClusterHead } from '../sql/head-statements.ts';
import { hasLeaseholders } from '../sql/node-statements.ts';
import { openSnapshot } from '../sql/record-statements.ts';
import type { RecordRow } from '../sql/rows.ts';
import { OtherSchemaError } from '../sql/schema.ts';
import { readStatus } from '../sql/upkeep-statements.ts';
import { AcknowledgementWatch } from './acknowledgement-watch.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { Committer } from './committer.ts';
import { Follower, type NeedsStateError } from './follower.ts';
import { Incarnations } from './incarnations.ts';
import { silenceMs, validUntil } from './lease-rules.ts';
import { Membership, renewalsPerLease, requireSameStore } from './membership.ts';
import { NewerLogError, requireReadable } from './newer-log.ts';
import { connectAs, type LinkOptions, PrimaryLink } from './primary-link.ts';
import { ReplicaClient, type ReplicaPort } from './replica-client.ts';
import { Upkeep } from './upkeep.ts';
import { UsageExchange } from './usage-exchange.ts';

interface TakenState {
  readonly position: number;
  /** Number of entries written or removed. */
  readonly written: number;
}

/**
 * Replaces the replica's content by PostgreSQL's, on a connection of its own, in one transaction on both sides.
 * Workers serve the last state meanwhile.
 * @param isOfAnotherPast called before the snapshot, whose transaction would block migrations of the table of nodes:
 * see `StateToTake`
 * @throws NewerLogError if a newer version has written to it
 */
async function takeOverState(
  options: LinkOptions,
  replica: ReplicaClient,
  isOfAnotherPast: (connection: SqlConnection) => Promise<boolean>,
): Promise<TakenState> {
  const connection = await connectAs(options);
  try {
    const isAnother = await isOfAnotherPast(connection);
    const snapshot = await openSnapshot(connection);
    try {
      requireReadable(snapshot.head);
      const { position, checksum } = snapshot.head;
      const place = { position, checksum: Uint8Array.from(checksum) };
      const state = { place, node: options.self(), isOfAnotherPast: isAnother };
      const written = await replica.become(state, encoded(snapshot.batches()));
      return { position, written };
    } finally {
      await snapshot.close();
    }
  } finally {
    if (!connection.isOver) await connection.end();
  }
}

async function* encoded(batches: AsyncIterable<readonly RecordRow[]>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    // The replica refuses a database that this version does not know.
    const writes = batch.map((row) => ({ ...row, database: row.database as DatabaseName }));
    yield Uint8Array.from(encodeContent({ writes, logged: [] }));
  }
}

/** Reads the nodes on a connection of its own, which a timeout may end. */
async function readNodeList(options: LinkOptions): Promise<NodesAnswer> {
  const connection = await connectAs(options);
  try {
    const { head, nodes, duties } = await readStatus(connection);
    return {
      position: head.position,
      nodes: nodes.map(({ id, label, applied, renewedMsAgo: sinceMs, leaseMs }) => {
        const renewedMsAgo = Math.max(0, sinceMs);
        return {
          ...{ id, label, renewedMsAgo },
          isAnswering: id === options.self(),
          isAttached: renewedMsAgo < silenceMs(leaseMs),
          position: applied,
          lag: Math.max(0, head.position - applied),
          leaseMs: Math.max(0, Math.round(validUntil(-renewedMsAgo, leaseMs))),
          duties: duties.filter(({ node }) => node === id).map(({ duty }) => duty),
        };
      }),
    };
  } finally {
    if (!connection.isOver) await connection.end();
  }
}

export interface ClusterNodeOptions {
  readonly url: ClusterUrl;
  readonly schema: string;
  /** Id of this process, until its replica takes over a state. */
  readonly node: string;
  readonly label: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly wait: 'all' | 'none';
  readonly lease: LeaseCell;
  /** Valid while this node sends the cluster's mails; null without a mail server. */
  readonly mail: LeaseCell | null;
  readonly log: Logger;
  readonly meter: ClusterMeter;
  /** Port to the writer's replica. */
  readonly replicaPort: MessagePort;
  /** A fault that only another setting or directory resolves. */
  onFatal(fault: unknown): void;
}

/** Pause after a failed read of the cluster. */
const againMs = 100;
/** Longest pause after a failed take-over of a state. Each attempt reads it from the beginning. */
const takeOverAgainMsMax = 10_000;

/** The cluster is closed and accepts no new node. */
class ClusterClosedError extends Error {
  constructor() {
    super(
      'The cluster was closed by `burgee cluster leave`: its store is served by a single node. Without BURGEE_CLUSTER_URL this ' +
        'service is alone, too; `burgee cluster create` makes a cluster again.',
    );
  }
}

/** Composes the parts of a node and connects their calls. */
export class ClusterNode {
  /** Answers to the main thread's calls. */
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
  /** Link for periodic work. */
  readonly #caringLink: PrimaryLink;
  /** Link for attempts to sign in and reports of usage, so that their timeouts do not end the duties. */
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
  /** Reason for taking over a state, until that succeeded. It is logged once. */
  #takenOverFor: string | null = null;
  #running: Promise<void> = Promise.resolve();
  #caring: Promise<void> = Promise.resolve();

  constructor(options: ClusterNodeOptions) {
    this.#options = options;
    this.#self = options.node;
    const self = (): string => this.#self;
    this.#acknowledgements = new Acknowledgements({ ...options, self });
    const incarnations = new Incarnations(() => this.#acknowledgements.hold());
    this.#link = { url: options.url, schema: options.schema, self, incarnations };
    const { meter } = options;
    this.#writing = new PrimaryLink({
      ...this.#link,
      onConnected: async (connection) => {
        meter.countConnection('commits');
        // Otherwise a row found after a crash would be acknowledged without the standby.
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

  /** Reads the store's id for a new directory, which only PostgreSQL knows. */
  #storeId(): Promise<string> {
    const isFinal = (fault: unknown): boolean =>
      fault instanceof OtherSchemaError || fault instanceof ClusterClosedError;
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

  /** @returns once there is a state that can be served, the local one or the cluster's */
  async #opened(storeId: string, place: ReplicaPlace): Promise<null> {
    this.#replica.moved(place);
    if (place.position === 0) {
      requireSameStore(storeId, await this.#storeId());
      const words = 'the state of the cluster was not read to its end; it is tried again';
      const isFinal = (fault: unknown): boolean => fault instanceof NewerLogError;
      // PostgreSQL may have been set back while all nodes were stopped. A running node would have noticed.
      const isUnattended = async (connection: SqlConnection): Promise<boolean> =>
        !(await hasLeaseholders(connection));
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

  /** Takes over a state under a new name, because the node's reports were about another history. */
  async #startAnew({ message, isLoss }: NeedsStateError): Promise<void> {
    if (isLoss) this.#acknowledgements.historyLost();
    else this.#acknowledgements.renamed();
    this.#self = newId();
    // The duties belong to a connection with the old name.
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

  /** Waits after a failure, such as a full disk. The wait doubles with each failure. */
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

  /** @throws Error when PostgreSQL does not answer */
  #listNodes(): Promise<NodesAnswer> {
    return readNodeList(this.#link);
  }

  async #tellLastUsage(): Promise<void> {
    try {
      await this.#usage.push(await this.#caringLink.get());
    } catch (fault) {
      const reason = (fault as Error).message;
      this.#options.log.warn({ reason }, 'the last usage counts could not be sent to PostgreSQL');
    }
  }

  /**
   * @returns null when PostgreSQL does not answer
   * @param words for the log
   */
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

  /** Stops all calls to the replica. */
  close(): void {
    this.#port.close();
  }
}
