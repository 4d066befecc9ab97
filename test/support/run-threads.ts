import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** What each of several threads gets: its own number, the gate, and what the test hands to all. */
export interface ThreadTask<Data> {
  readonly thread: number;
  /** Counts threads that have come to the start: they begin together. */
  readonly gate: SharedArrayBuffer;
  readonly threads: number;
  readonly data: Data;
}

/** Runs the module in several threads at once, each of which calls `inThread`. @returns what each has found */
export async function runThreads<Data, Result>(
  module: URL,
  threads: number,
  data: Data,
): Promise<readonly Result[]> {
  const gate = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  return Promise.all(
    Array.from({ length: threads }, async (_, thread) => {
      const task: ThreadTask<Data> = { thread, gate, threads, data };
      const worker = new Worker(module, { workerData: task });
      const [[result]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
      return result as Result;
    }),
  );
}

/** In a thread of `runThreads`: waits until all threads are here, does the work, and tells its result. */
export function inThread<Data, Result>(work: (data: Data, thread: number) => Result): void {
  const { thread, gate, threads, data } = workerData as ThreadTask<Data>;
  meet(new Int32Array(gate), threads);
  parentPort?.postMessage(work(data, thread));
}

/** Returns once so many threads have come. */
export function meet(gate: Int32Array<SharedArrayBuffer>, threads: number): void {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let here = Atomics.load(gate, 0); here < threads; here = Atomics.load(gate, 0)) {
    Atomics.wait(gate, 0, here);
  }
}
