import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../support/message-of.ts';
import type { FlagdMessage, FlagdSetup } from './flagd-protocol.ts';
import { FlagdThread } from './flagd-thread.ts';

/** Serves until the supervisor stops it. Posts why it could not start. After a later fault the supervisor replaces the thread. */
async function run(setup: FlagdSetup, port: MessagePort): Promise<void> {
  let thread: FlagdThread | null = null;
  try {
    thread = new FlagdThread(setup, port);
    await thread.start();
  } catch (fault) {
    const message = messageOf(fault);
    const fatal: FlagdMessage = { kind: 'fatal', message };
    port.postMessage(fatal);
    await thread?.close();
    port.close();
    return;
  }
  const serving = thread;
  const fail = (fault: unknown): void => {
    serving
      .fail(fault)
      .catch(() => undefined)
      .finally(() => process.exit(1));
  };
  process.once('uncaughtException', fail);
  process.once('unhandledRejection', fail);
}

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
// Without top-level await: in the bundle a thread's entry is a script. A rejection ends the thread.
run(workerData as FlagdSetup, parentPort).catch((fault: unknown) => {
  throw fault;
});
