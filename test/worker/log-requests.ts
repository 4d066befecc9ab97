import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { createMainLog } from '../../src/observability/logger.ts';
import { createLogMemory, receiveLines } from '../../src/observability/thread-log.ts';
import { endProcessNow } from '../../src/support/end-process.ts';
import { WorkerLog } from '../../src/worker/worker-log.ts';
import type { WorkerMessage } from '../../src/worker/worker-protocol.ts';

/*
 * A worker's thread logs requests. Then, as the argument says, it ends at once, or logs nothing more while the process
 * lives on. The main thread writes the log.
 */
type Message = WorkerMessage | { readonly kind: 'over' };

interface Setup {
  readonly logMemory: SharedArrayBuffer;
  readonly logLevel: string;
  readonly index: number;
  readonly then: string | undefined;
}

const line = {
  tokenId: null,
  method: 'get',
  route: 'read-flag',
  status: 200,
  durationMs: 0.5,
  address: '127.0.0.1',
  outcome: undefined,
  callerIds: {},
} as const;

if (isMainThread) {
  const [then, logLevel = 'info'] = process.argv.slice(2);
  const logMemory = createLogMemory();
  const { writeLines, flush } = createMainLog(logLevel);
  const setup: Setup = { logMemory, logLevel, index: 7, then };
  new Worker(new URL(import.meta.url), { workerData: setup }).on('message', (message: Message) => {
    if (message.kind === 'log') writeLines(receiveLines(logMemory, message.lines));
    else if (message.kind === 'over') flush().then(endProcessNow, endProcessNow);
  });
  process.stdin.resume();
} else {
  const port = parentPort as MessagePort;
  const setup = workerData as Setup;
  const workerLog = new WorkerLog(setup, (message) => port.postMessage(message));
  for (let request = 1; request <= 100; request += 1) {
    workerLog.logRequest({ ...line, requestId: `r${request}` });
  }
  if (setup.then === 'end') {
    workerLog.flush();
    port.postMessage({ kind: 'over' } satisfies Message);
  } else if (setup.then === 'other') workerLog.log.warn('another line');
  port.on('message', () => undefined);
}
