import { parentPort, workerData } from 'node:worker_threads';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { mapBytes } from './sample-store.ts';

/** Answers each message with its view of a flag: `look` reads, `renew` renews first, `close` ends the thread. */
const { directory, flagId } = workerData as { directory: string; flagId: string };
const reader = openStoreReader({ directory, mapBytes });
const seen = () => reader.queries.flag(flagId)?.revision ?? null;

parentPort?.on('message', (request: 'look' | 'renew' | 'close') => {
  if (request === 'close') {
    void reader.close().then(() => parentPort?.close());
    return;
  }
  if (request === 'renew') reader.renew();
  parentPort?.postMessage(seen());
});
parentPort?.postMessage('ready');
