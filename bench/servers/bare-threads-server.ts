/**
 * The limit of several threads: the main thread accepts connections and hands them to the bare uWebSockets.js threads, round
 * robin. Its arguments are the file with the body and the number of threads. Prints its port once all of them serve.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createApp, listenAndPrint } from './bare-app.ts';

const [file = '', threads = '1'] = process.argv.slice(2);
const app = createApp();
// A thread's error is not caught here, so it ends this process, and the parent reports it.
for (let count = Number(threads); count > 0; count -= 1) {
  const thread = new Worker(new URL('./bare-thread.js', import.meta.url), { workerData: file });
  const [descriptor] = await once(thread, 'message');
  app.addChildAppDescriptor(descriptor);
}
listenAndPrint(app);
