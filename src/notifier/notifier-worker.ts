import { parentPort, workerData } from 'node:worker_threads';
import type { NotifierSetup } from './notifier-protocol.ts';
import { serveNotifier } from './notifier-thread.ts';

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
// Without top-level await: in the bundle a thread's entry is a script. A rejection ends the thread.
serveNotifier(workerData as NotifierSetup, parentPort).catch((fault: unknown) => {
  throw fault;
});
