import { parentPort, workerData } from 'node:worker_threads';
import type { ClusterSetup } from '../client/cluster-protocol.ts';
import { serveCluster } from './cluster-thread.ts';

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
serveCluster(workerData as ClusterSetup, parentPort);
