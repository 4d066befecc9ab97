import type { MessagePort } from 'node:worker_threads';
import { watchEventLoop } from '../../observability/event-loop.ts';
import { createThreadLog, LogSender } from '../../observability/thread-log.ts';
import { openStore } from '../../storage/store.ts';
import { newId } from '../../support/random-id.ts';
import { writerMetrics } from '../client/writer-metrics-protocol.ts';
import type { WriterReply, WriterRequest, WriterSetup } from '../client/writer-protocol.ts';
import { createFirstOrganisation } from './commands/create-first-organisation.ts';
import { FreeSpace } from './free-space.ts';
import { OperatorCommands, serveOperatorPort } from './operator-commands.ts';
import { Writer } from './writer.ts';
import { WriterMeter } from './writer-meter.ts';

/** Opens the store and serves the port until it is told to stop. */
export function serveWriter(setup: WriterSetup, port: MessagePort): void {
  const post = (reply: WriterReply): void => port.postMessage(reply);
  const sender = new LogSender(setup.logMemory, (lines) => post({ kind: 'log', lines }));
  const log = createThreadLog(setup.logLevel, sender).child({ actor: 'writer' });
  const fail = (fault: unknown): void =>
    post({ kind: 'fatal', message: fault instanceof Error ? fault.message : String(fault) });

  let store: ReturnType<typeof openStore>;
  try {
    store = openStore(setup);
    if (store.migrated !== null) log.info(store.migrated, 'store migrated to a newer format');
    if (store.isEmpty()) {
      const changes = createFirstOrganisation({ now: Date.now(), newId });
      store.write(({ apply }) => apply(changes));
    }
  } catch (fault) {
    fail(fault);
    port.close();
    setup.operatorPort.close();
    return;
  }
  const meter = new WriterMeter(setup.metrics);
  watchEventLoop(meter.cells, writerMetrics.metrics.loopDelay);
  const freeSpace = new FreeSpace(setup.directory, setup.storageReserveBytes);
  const writer = new Writer(store, {
    docsUrl: setup.docsUrl,
    console: setup.console,
    tokenPrefixesAccepted: setup.tokenPrefixesAccepted,
    freeSpace,
    auditRetentionDays: setup.auditRetentionDays,
    writtenBytesPerDayMax: setup.writtenBytesPerDayMax,
    groupSizeMax: setup.commitGroupSize,
    meter,
    pulse: setup.pulse,
    onResults: (results, areMoreWaiting) => post({ kind: 'results', results, areMoreWaiting }),
    onOutboxGrew: () => post({ kind: 'outbox-grew' }),
    onFault: (fault, during) => log.error({ err: fault, during }, 'command failed'),
    onFileBack: () => log.info('the data file is available again: changes are applied'),
    onFatal: fail,
  });
  const commands = new OperatorCommands({ store, freeSpace, baseUrl: setup.console.baseUrl });
  serveOperatorPort(setup.operatorPort, commands, {
    onCommit: (begunAt) => meter.countCommit('operator', begunAt),
    onProgress: () => writer.reportProgress(),
    onFault: (fault) => {
      log.error({ err: fault }, 'operator command failed');
      meter.countFailedCommit('operator');
      writer.judgeFault(fault);
    },
  });

  // A thread that exits inside a transaction never gets as far as its end: lmdb's cleanup waits for the lock it holds.
  const tellEnd = (): void => fail(new Error('the writer thread ended'));
  process.once('exit', tellEnd);
  const stop = async (): Promise<void> => {
    process.off('exit', tellEnd);
    writer.drain();
    setup.operatorPort.close();
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
    else writer.submit(request.commands);
  });
  post({ kind: 'ready', storeId: store.id, hasMembers: store.hasMembers() });
}
