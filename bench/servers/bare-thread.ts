/** A thread of `bare-threads-server.ts`: answers requests on the connections that it is handed. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBareApp } from './bare-app.ts';

const app = createBareApp(String(workerData));
// The listener keeps the thread's event loop alive while it has no connection.
parentPort?.on('message', () => undefined);
parentPort?.postMessage(app.getDescriptor());
