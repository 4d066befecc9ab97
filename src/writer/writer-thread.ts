import type { MessagePort } from 'node:worker_threads';
import { createThreadLog } from '../observability/logger.ts';
import { openStore } from '../storage/store.ts';
import { newId } from '../support/random-id.ts';
import { createFirstOrganisation } from './commands/create-first-organisation.ts';
import { FreeSpace } from './free-space.ts';
import { serveOperatorCommands } from './operator-port.ts';
import { Writer } from './writer.ts';
import type { WriterReply, WriterRequest, WriterSetup } from './writer-protocol.ts';

/** Opens the store and serves the port until it is told to stop. */
export function serveWriter(setup: WriterSetup, port: MessagePort): void {
  const log = createThreadLog(setup.logLevel).child({ actor: 'writer' });
  const post = (reply: WriterReply): void => port.postMessage(reply);
  const fail = (fault: unknown): void =>
    post({ kind: 'fatal', message: fault instanceof Error ? fault.message : String(fault) });

  let store: ReturnType<typeof openStore>;
  try {
    store = openStore(setup);
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
  const writer = new Writer(store, {
    docsUrl: setup.docsUrl,
    tokenPrefixesAccepted: setup.tokenPrefixesAccepted,
    freeSpace: new FreeSpace(setup.directory, setup.storageReserveBytes),
    pulse: setup.pulse,
    storeVersion: setup.storeVersion,
    onResults: (results) => post({ kind: 'results', results }),
    onFault: (fault, during) => log.error({ err: fault, during }, 'command failed'),
    onFatal: fail,
  });
  serveOperatorCommands(setup.operatorPort, store, {
    onCommit: () => writer.announceCommit(),
    onProgress: () => writer.reportProgress(),
    onFault: (fault) => {
      log.error({ err: fault }, 'operator command failed');
      writer.judgeFault(fault);
    },
  });

  const stop = async (): Promise<void> => {
    writer.drain();
    setup.operatorPort.close();
    await store.close();
    port.close();
  };
  port.on('message', (request: WriterRequest) => {
    if (request.kind === 'stop') stop().catch(fail);
    else writer.submit(request);
  });
  post({ kind: 'ready', storeId: store.id });
}
