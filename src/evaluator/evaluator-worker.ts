import { createThreadLog } from '../observability/logger.ts';
import { openStoreReader } from '../storage/store-reader.ts';
import { Evaluator } from './evaluator.ts';
import type { EvaluatorSetup } from './evaluator-protocol.ts';

/** The Piscina task of an evaluator's thread: one long task that ends when the evaluator is told to stop. */
export async function serveMailbox(setup: EvaluatorSetup): Promise<void> {
  const log = createThreadLog(setup.logLevel).child({ actor: 'evaluator', index: setup.index });
  const reader = openStoreReader(setup);
  try {
    new Evaluator(setup, reader, (fault, during, requestId) =>
      log.error({ err: fault, during, requestId }, 'request failed'),
    ).run();
  } finally {
    await reader.close();
    setup.port.close();
  }
}
