import { parentPort, workerData } from 'node:worker_threads';
import type { NotifierSetup } from './notifier-protocol.ts';
import { serveNotifier } from './notifier-thread.ts';

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
await serveNotifier(workerData as NotifierSetup, parentPort);
