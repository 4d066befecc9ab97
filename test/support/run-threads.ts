import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** The data of each thread: its own number, the gate, and the test's data for all. */
export interface ThreadTask<Data> {
  readonly thread: number;
  /** Counts threads that have arrived at the start, so that all begin together. */
  readonly gate: SharedArrayBuffer;
  readonly threads: number;
  readonly data: Data;
}

/** Runs the module in several threads at once, each of which calls `inThread`. @returns the result of each */
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

/** In a thread of `runThreads`: waits until all threads have arrived, does the work, and sends the result. */
export function inThread<Data, Result>(work: (data: Data, thread: number) => Result): void {
  const { thread, gate, threads, data } = workerData as ThreadTask<Data>;
  meet(new Int32Array(gate), threads);
  parentPort?.postMessage(work(data, thread));
}

/** Returns once all threads have arrived. */
export function meet(gate: Int32Array<SharedArrayBuffer>, threads: number): void {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let here = Atomics.load(gate, 0); here < threads; here = Atomics.load(gate, 0)) {
    Atomics.wait(gate, 0, here);
  }
}
