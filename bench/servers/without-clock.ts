/**
 * Loaded before a server: the clock that its evaluators read for their counters alone, once a batch and around each
 * sleep, stands still. Deadlines and long lists have another one.
 */
import { isMainThread, workerData } from 'node:worker_threads';

const isEvaluator =
  !isMainThread && typeof workerData === 'object' && workerData !== null && 'mailbox' in workerData;
if (isEvaluator) performance.now = () => 0;
