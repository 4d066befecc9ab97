import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../support/message-of.ts';
import { remoteWriter } from '../writer/client/operator-port-client.ts';
import type { OperatorControl, OperatorReport, OperatorSetup } from './operator-protocol.ts';
import { serveOperator } from './operator-server.ts';

/** Serves the operator's socket until the control port says stop; then nothing keeps the thread alive, and it ends. */
async function runOperator(setup: OperatorSetup, control: MessagePort): Promise<void> {
  const report = (message: OperatorReport): void => control.postMessage(message);
  const { directory, storeId, tokenPrefix, writerPort } = setup;
  const fail = (fault: unknown): void => {
    report({ kind: 'fatal', message: messageOf(fault) });
    writerPort.close();
    control.close();
  };
  try {
    const context = { callWriter: remoteWriter(writerPort), tokenPrefix };
    const server = await serveOperator({ directory, storeId, context });
    const stop = async (): Promise<void> => {
      await server.stop();
      writerPort.close();
      control.close();
    };
    control.on('message', (message: OperatorControl) => {
      if (message.kind === 'stop') stop().catch(fail);
    });
    report({ kind: 'ready', socketPath: server.socketPath });
  } catch (fault) {
    fail(fault);
  }
}

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
// Without top-level await: in the bundle a thread's entry is a script. A rejection ends the thread.
runOperator(workerData as OperatorSetup, parentPort).catch((fault: unknown) => {
  throw fault;
});
