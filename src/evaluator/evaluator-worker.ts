import { createThreadLog } from '../observability/logger.ts';
import { openStoreReader } from '../storage/store-reader.ts';
import { Evaluator } from './evaluator.ts';
import type { EvaluatorReply, EvaluatorSetup, Meeting } from './evaluator-protocol.ts';

const ended: EvaluatorReply = { kind: 'ended' };

/** The Piscina task of an evaluator's thread: one long task that ends when the evaluator is told to stop. */
export async function serveMailbox(setup: EvaluatorSetup): Promise<void> {
  const log = createThreadLog(setup.logLevel).child({ actor: 'evaluator', index: setup.index });
  const reader = openStoreReader(setup);
  try {
    await new Evaluator(setup, reader, (fault, during, requestId) =>
      log.error({ err: fault, during, requestId }, 'request failed'),
    ).run();
  } finally {
    await reader.close();
    setup.port.postMessage(ended);
    setup.port.close();
  }
}

const meetingMsMax = 5000;

/**
 * The Piscina task that ends once every thread of the pool runs it: all of them have loaded then, and may be ended. A
 * thread that is ended while it loads native code takes the process with it.
 */
export function meet({ arrived, threads }: Meeting): void {
  const cells = new Int32Array(arrived);
  Atomics.add(cells, 0, 1);
  Atomics.notify(cells, 0);
  for (let here = Atomics.load(cells, 0); here < threads; here = Atomics.load(cells, 0)) {
    if (Atomics.wait(cells, 0, here, meetingMsMax) === 'timed-out') return;
  }
}
