import { setTimeout } from 'node:timers/promises';
import { openStoreReader } from '../storage/store-reader.ts';
import { Worker } from './worker.ts';
import type { Meeting, WorkerMessage, WorkerSetup } from './worker-protocol.ts';

const ended: WorkerMessage = { kind: 'ended' };

/** uWebSockets.js frees closed sockets in the following passes of the event loop. */
const closingMs = 20;

/**
 * The Piscina task of a worker's thread: one long task that ends when the main thread stops the worker. A worker that
 * leaves by itself ends its thread too, because the thread's state is unknown; by then its event loop holds nothing
 * open.
 */
export async function serveConnections(setup: WorkerSetup): Promise<void> {
  let hasLeft: boolean;
  try {
    hasLeft = await serve(setup);
  } finally {
    setup.port.postMessage(ended);
    setup.port.close();
  }
  await setTimeout(closingMs);
  if (hasLeft) process.exit(1);
}

/** @returns whether the worker left by itself. @throws when it cannot start: its thread then holds no resources */
async function serve(setup: WorkerSetup): Promise<boolean> {
  const reader = openStoreReader(setup);
  try {
    const worker = new Worker(setup, reader);
    const leave = (fault: unknown): void => {
      worker.leave(fault).catch(() => undefined);
    };
    // Stays until the end of the thread, which serves once: a fault while it closes must not end the process.
    process.on('uncaughtException', leave);
    process.on('unhandledRejection', leave);
    try {
      return await worker.run();
    } catch (fault) {
      worker.abandon();
      throw fault;
    }
  } finally {
    await reader.close();
  }
}

const meetingMsMax = 5000;

/**
 * A Piscina task that ends when every thread of the pool runs it: then all threads have loaded and may be ended. A
 * thread that is ended while it loads native code crashes the process.
 */
export function meet({ arrived, threads }: Meeting): void {
  const cells = new Int32Array(arrived);
  Atomics.add(cells, 0, 1);
  Atomics.notify(cells, 0);
  for (let here = Atomics.load(cells, 0); here < threads; here = Atomics.load(cells, 0)) {
    if (Atomics.wait(cells, 0, here, meetingMsMax) === 'timed-out') return;
  }
}
