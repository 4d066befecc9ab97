import { parentPort, workerData } from 'node:worker_threads';
import type { OperatorSetup } from './operator-protocol.ts';
import { runOperator } from './operator-thread.ts';

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
await runOperator(workerData as OperatorSetup, parentPort);
