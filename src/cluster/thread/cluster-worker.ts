import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { parseClusterUrl } from '../../config/cluster-url.ts';
import { watchEventLoop } from '../../observability/event-loop.ts';
import { createThreadLog, LogSender } from '../../observability/thread-log.ts';
import { LeaseCell } from '../../support/lease-cell.ts';
import { messageOf } from '../../support/message-of.ts';
import { PortCalls } from '../../support/port-calls.ts';
import { clusterMetrics } from '../client/cluster-metrics-protocol.ts';
import type { ClusterMessage, ClusterQuestions, ClusterSetup } from '../client/cluster-protocol.ts';
import { ClusterMeter } from './cluster-meter.ts';
import { ClusterNode } from './cluster-node.ts';

/** Runs the node until it receives `stop`. */
function serveCluster(setup: ClusterSetup, port: MessagePort): void {
  const post = (message: ClusterMessage): void => port.postMessage(message);
  const sender = new LogSender(setup.logMemory, (lines) => post({ kind: 'log', lines }));
  const log = createThreadLog(setup.logLevel, sender).child({ actor: 'cluster' });
  const fail = (fault: unknown): void => post({ kind: 'fatal', message: messageOf(fault) });
  const meter = new ClusterMeter(setup.metrics, setup.waitMs);
  watchEventLoop(meter.cells, clusterMetrics.metrics.loopDelay);
  try {
    const node = new ClusterNode({
      ...setup,
      url: parseClusterUrl(setup.url, setup.passwordFile),
      lease: new LeaseCell(setup.leaseMemory),
      mail: setup.mailMemory === null ? null : new LeaseCell(setup.mailMemory),
      log,
      meter,
      replicaPort: setup.replicaPort,
      onFatal: fail,
    });
    const questions = new PortCalls<Record<never, never>, ClusterQuestions>(setup.hostPort, node.questions);
    // The only message is `stop`.
    port.once('message', () => {
      node
        .stop()
        .catch((fault: unknown) => log.warn({ err: fault }, 'the node could not leave in order'))
        .finally(() => {
          node.close();
          questions.close();
          port.close();
        });
    });
  } catch (fault) {
    fail(fault);
  }
}

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
serveCluster(workerData as ClusterSetup, parentPort);
