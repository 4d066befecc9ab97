import { parentPort, workerData } from 'node:worker_threads';
import type { WriterSetup } from '../client/writer-protocol.ts';
import { serveWriter } from './writer-thread.ts';

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
// Without top-level await: in the bundle a thread's entry is a script. A rejection ends the thread.
serveWriter(workerData as WriterSetup, parentPort).catch((fault: unknown) => {
  throw fault;
});
