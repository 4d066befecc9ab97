import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { createMainLog } from '../../src/observability/logger.ts';
import {
  createLogMemory,
  createThreadLog,
  type LogLines,
  LogSender,
  receiveLines,
} from '../../src/observability/thread-log.ts';
import { endProcessNow } from '../../src/support/end-process.ts';

/*
 * Several threads log long lines, and end with their last line. The main thread writes the log, adds a line for each
 * thread's end, and ends when all lines have been written.
 */
const threads = 4;
const linesOfThread = 400;
const text = 'é'.repeat(700);

if (isMainThread) {
  const memory = createLogMemory();
  const { log, writeLines, flush } = createMainLog('info');
  const ends = Array.from(
    { length: threads },
    (_, thread) =>
      new Promise<void>((resolve) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { memory, thread } });
        worker.on('message', (lines: LogLines) => writeLines(receiveLines(memory, lines)));
        // The threads log their own errors.
        worker.on('error', () => undefined);
        worker.on('exit', () => {
          log.info({ thread }, 'a thread has ended');
          resolve();
        });
      }),
  );
  Promise.all(ends)
    .then(async () => {
      log.info({ onTheWay: new Int32Array(memory)[0] }, 'all have ended');
      while (!(await flush()));
    })
    .then(endProcessNow, endProcessNow);
} else {
  const { memory, thread } = workerData as { memory: SharedArrayBuffer; thread: number };
  const port = parentPort as MessagePort;
  const log = createThreadLog('info', new LogSender(memory, (lines) => port.postMessage(lines)));
  for (let line = 0; line < linesOfThread; line += 1) log.info({ thread, line, text });
  log.error({ thread }, 'the last words');
  if (thread % 2 === 0) throw new Error('it dies');
  process.exit(1);
}
