import type { MessagePort } from 'node:worker_threads';
import { type FirstOwnerOffer, storeOffer } from '../../domain/session/first-owner-offer.ts';
import { watchEventLoop } from '../../observability/event-loop.ts';
import type { Logger } from '../../observability/logger.ts';
import { createThreadLog, LogSender } from '../../observability/thread-log.ts';
import type { Replica } from '../../storage/replica/replica.ts';
import { openStore, type Store } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { readMarker } from '../../storage/store-identity.ts';
import { assert } from '../../support/assert.ts';
import { messageOf } from '../../support/message-of.ts';
import { PortCalls } from '../../support/port-calls.ts';
import { newId } from '../../support/random-id.ts';
import { within } from '../../support/within.ts';
import { writerMetrics } from '../client/writer-metrics-protocol.ts';
import type {
  WriterClusterSetup,
  WriterReply,
  WriterRequest,
  WriterSetup,
} from '../client/writer-protocol.ts';
import { ClusterCommits, type ClusterPort } from './cluster-commits.ts';
import { createFirstOrganisation } from './commands/create-first-organisation.ts';
import { type Commits, localCommits } from './commits.ts';
import { FreeSpace } from './free-space.ts';
import { NewHistory } from './new-history.ts';
import { OperatorCommands, serveOperatorPort } from './operator-commands.ts';
import { replicaHandlers } from './replica-handlers.ts';
import { UsageSharing } from './usage-sharing.ts';
import { Writer } from './writer.ts';
import { sendResults, WriterClients } from './writer-clients.ts';
import { WriterMeter } from './writer-meter.ts';

/** How long a node that ends tries to send its last counts. A start with the same directory sends them too. */
const lastUsageMs = 1000;

/** Opens the store and serves the port until the main thread stops it. */
export async function serveWriter(setup: WriterSetup, port: MessagePort): Promise<void> {
  const post = (reply: WriterReply): void => port.postMessage(reply);
  const sender = new LogSender(setup.logMemory, (lines) => post({ kind: 'log', lines }));
  const log = createThreadLog(setup.logLevel, sender).child({ actor: 'writer' });
  const fail = (fault: unknown): void => post({ kind: 'fatal', message: messageOf(fault) });

  const freeSpace = new FreeSpace(setup.directory, setup.storageReserveBytes);
  let opened: OpenedForChanges;
  try {
    opened =
      setup.cluster === null ? openOwnStore(setup) : await openReplica(setup, setup.cluster, freeSpace, log);
  } catch (fault) {
    fail(fault);
    port.close();
    setup.operatorPort.close();
    setup.cluster?.port.close();
    return;
  }
  const { store, commits } = opened;
  if (setup.cluster !== null && !store.hasMembers()) {
    await offerFirstOwner(commits, setup.console.firstOwnerOffer).catch((fault: Error) =>
      log.warn({ reason: fault.message }, "the first Owner's link works on this node only"),
    );
  }
  const meter = new WriterMeter(setup.metrics);
  watchEventLoop(meter.cells, writerMetrics.metrics.loopDelay);
  const clients = new WriterClients((commands) => writer.submit(commands));
  const writer = new Writer(commits, {
    operations: { ...setup.console, acceptedPrefixes: setup.tokenPrefixesAccepted },
    freeSpace,
    auditRetentionDays: setup.auditRetentionDays,
    writtenBytesPerDayMax: setup.writtenBytesPerDayMax,
    groupSizeMax: setup.commitGroupSize,
    meter,
    pulse: setup.pulse,
    onResults: sendResults,
    onOutboxGrew: () => post({ kind: 'outbox-grew' }),
    onFault: (fault, during) => log.error({ err: fault, during }, 'command failed'),
    onFileBack: () => log.info('the data file is available again: changes are applied'),
    onFatal: fail,
  });
  const commands = new OperatorCommands({
    commits,
    freeSpace,
    baseUrl: setup.console.baseUrl,
    onProgress: () => writer.reportProgress(),
  });
  serveOperatorPort(setup.operatorPort, commands, {
    onCommit: (begunAt) => meter.countCommit('operator', begunAt),
    onFault: (fault) => {
      log.error({ err: fault }, 'operator command failed');
      meter.countFailedCommit('operator');
      writer.judgeFault(fault);
    },
  });

  // A thread that exits inside a transaction never ends: lmdb's cleanup waits for the lock that the transaction holds.
  let cause: unknown = new Error('the writer thread ended');
  // On a busy machine the main thread may read this message before the exception, which comes by another port.
  process.once('uncaughtExceptionMonitor', (fault) => {
    cause = fault;
  });
  const reportEnd = (): void => fail(cause);
  process.once('exit', reportEnd);
  const stop = async (): Promise<void> => {
    process.off('exit', reportEnd);
    clients.receiveRest();
    await writer.drain();
    clients.close();
    setup.operatorPort.close();
    await opened.close();
    await store.close();
    port.close();
  };
  const measure = (): void => {
    try {
      meter.measure(store, freeSpace);
    } catch (fault) {
      log.error({ err: fault }, 'the store could not be measured');
    }
    post({ kind: 'measured' });
  };
  port.on('message', (request: WriterRequest) => {
    if (request.kind === 'stop') stop().catch(fail);
    else if (request.kind === 'measure') measure();
    else clients.connect(request.port, request.memory);
  });
  post({ kind: 'ready', storeId: store.id, hasMembers: store.hasMembers() });
}

/** Does not wait for other nodes to confirm the offer: a person uses it much later. */
async function offerFirstOwner(commits: Commits, offer: FirstOwnerOffer): Promise<void> {
  await commits.commit(({ queries, apply }) => {
    const changes = storeOffer(queries, offer);
    if (changes.length > 0) apply(changes);
  });
}

interface OpenedForChanges {
  readonly store: Store;
  readonly commits: Commits;
  /** Called before the store is closed. */
  close(): Promise<void> | void;
}

function openOwnStore(setup: WriterSetup): OpenedForChanges {
  const store = openStore(setup);
  if (store.isEmpty()) {
    const changes = createFirstOrganisation({ now: Date.now(), newId });
    store.write(({ apply }) => apply(changes));
  }
  return { store, commits: localCommits(store), close: () => undefined };
}

/** Such a store is refused, because the cluster's state would replace it. */
function ownStore(directory: string): string {
  return (
    `${directory} holds a store of its own, which is not a replica of a cluster. Make a cluster of it with \`burgee cluster ` +
    'create`, or give the node an empty directory with --data-dir. Without BURGEE_CLUSTER_URL it is served alone.'
  );
}

/** Resolves once the replica has a state that can be served. For a new directory that is the cluster's state. */
async function openReplica(
  setup: WriterSetup,
  { port, node, waitMs }: WriterClusterSetup,
  freeSpace: FreeSpace,
  log: Logger,
): Promise<OpenedForChanges> {
  const requireRoom = (growthMax: number): void => freeSpace.requireRoom(growthMax);
  let replica: Replica | null = null;
  let usage: UsageSharing | null = null;
  let history: NewHistory | null = null;
  const isOpen = 'the replica is open before the first call';
  const handlers = replicaHandlers({
    replicaOf: () => {
      assert(replica !== null, isOpen);
      return replica;
    },
    usageOf: () => {
      assert(usage !== null, isOpen);
      return usage;
    },
    onTaken: () => history?.begin(),
  });
  const calls: ClusterPort = new PortCalls(port, handlers);
  const isNew = readMarker(setup.directory) === null;
  const storeId = isNew ? await calls.ask('storeId', null) : null;
  const store = openStore({ ...setup, replica: { storeId } });
  replica = store.asReplica(node, requireRoom);
  usage = new UsageSharing(store, replica.usage, requireRoom);
  const { position, checksum } = replica.place;
  if (position === 0 && !store.isEmpty()) {
    await store.close();
    throw new StoreError(ownStore(setup.directory));
  }
  const place = { position, checksum: new Uint8Array(checksum) };
  await calls.ask('opened', { storeId: store.id, place });
  const close = async (): Promise<void> => {
    const sent = calls.ask('tellLastUsage', null).catch(() => null);
    await within(lastUsageMs, sent);
    const stopped = history?.stop();
    // Ends a commit that the history has begun.
    calls.close();
    await stopped;
  };
  const commits = new ClusterCommits({ store, replica, port: calls, usage, answerMs: waitMs, requireRoom });
  history = new NewHistory(commits, log);
  history.begin();
  return { store, commits, close };
}
