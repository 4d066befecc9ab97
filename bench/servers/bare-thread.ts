/** A thread of `bare-threads-server.ts`: answers what comes on the connections that it is handed. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBareApp } from './bare-app.ts';

const app = createBareApp(String(workerData));
// The listener keeps the thread alive: without a connection its event loop has nothing else to wait for.
parentPort?.on('message', () => undefined);
parentPort?.postMessage(app.getDescriptor());
