import { eventLoopDelay } from '../observability/event-loop.ts';
import { counter, gauge, layOut } from '../observability/metric.ts';

/** Metrics that only the main thread knows. */
export const frontMetrics = layOut({
  workers: gauge('burgee_workers', 'Workers that take connections.'),
  workersWanted: gauge('burgee_workers_configured', 'Workers that there should be.'),
  replacements: counter('burgee_worker_replacements_total', 'Workers that left or hung and were replaced.'),
  connections: gauge('burgee_connections', 'Connections that workers have, all together.'),
  connectionsMax: gauge(
    'burgee_connections_limit',
    'Connections that there may be: one more is refused. It follows from the descriptors that the process may have.',
  ),
  refusedConnections: counter(
    'burgee_connections_refused_total',
    'Connections that were closed because there were as many as the descriptors of the process allow.',
  ),
  busiestConnections: gauge('burgee_worker_connections_max', 'Connections of the worker that has the most.'),
  longAnswers: gauge(
    'burgee_long_answers_in_flight',
    'Answers of more than one chunk that are being made, or sent to slow clients.',
  ),
  waitingEvaluations: gauge(
    'burgee_waiting_evaluations',
    'Evaluations that wait until a long flag was read from the store.',
  ),
  unsentBytes: gauge(
    'burgee_unsent_answer_bytes',
    'What is kept in memory for answers that their clients have not taken whole.',
  ),
  pinnedSnapshots: gauge(
    'burgee_pinned_snapshots',
    'Snapshots that long answers and builds of lists keep: each keeps pages from being used again.',
  ),
  bodyBytes: gauge('burgee_body_bytes', 'Bodies of requests that are arriving, or wait for the writer.'),
  uncountedEvaluations: counter(
    'burgee_uncounted_evaluations_total',
    'Evaluations that the console does not count: too many different flags at once, or they could not be recorded.',
  ),
  uncountedTokenUses: counter(
    'burgee_uncounted_token_uses_total',
    'Answered requests that the activity of their token misses: too many different uses at once, or they could not be recorded.',
  ),
  managementInFlight: gauge(
    'burgee_management_requests_in_flight',
    'Management API requests that are not answered yet.',
  ),
  consoleInFlight: gauge(
    'burgee_console_requests_in_flight',
    'Requests of the console that are not answered yet.',
  ),
  writerInFlight: gauge('burgee_writer_requests_in_flight', 'Requests that wait for the writer.'),
  writerQueueDepth: gauge('burgee_writer_queue_depth', 'Commands that the writer has not finished.'),
  writerQueueBytes: gauge(
    'burgee_writer_queue_bytes',
    'Bodies of the commands that the writer has not finished.',
  ),
  loopDelay: eventLoopDelay('front'),
});
