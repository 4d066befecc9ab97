import { eventLoopDelay } from '../observability/event-loop.ts';
import { counter, gauge, layOut } from '../observability/metric.ts';

/** Metrics that only the main thread knows. */
export const frontMetrics = layOut({
  workers: gauge('burgee_workers', 'Workers that take connections.'),
  workersWanted: gauge('burgee_workers_configured', 'Workers that are configured.'),
  replacements: counter('burgee_worker_replacements_total', 'Workers that left or hung and were replaced.'),
  connections: gauge('burgee_connections', 'Connections of all workers.'),
  connectionsMax: gauge(
    'burgee_connections_limit',
    'Most connections at once: one more is refused. Follows from the process limit of file descriptors.',
  ),
  refusedConnections: counter(
    'burgee_connections_refused_total',
    'Connections that were refused because the process had as many as its file descriptors allow.',
  ),
  busiestConnections: gauge('burgee_worker_connections_max', 'Connections of the worker that has the most.'),
  uncountedEvaluations: counter(
    'burgee_uncounted_evaluations_total',
    'Evaluations that are missing in the counts of the console: too many different flags at once, or the record failed.',
  ),
  uncountedTokenUses: counter(
    'burgee_uncounted_token_uses_total',
    'Answered requests that are missing in the activity of their token: too many different uses at once, or the record failed.',
  ),
  writerQueueDepth: gauge('burgee_writer_queue_depth', 'Commands that the writer has not finished.'),
  writerQueueBytes: gauge(
    'burgee_writer_queue_bytes',
    'Memory for bodies of the commands that the writer has not finished.',
  ),
  loopDelay: eventLoopDelay('front'),
});
