import { answerStatuses, unansweredBy } from '../observability/answer-meter.ts';
import { durationBounds } from '../observability/duration-bounds.ts';
import { eventLoopDelay } from '../observability/event-loop-delay.ts';
import { counter, gauge, histogram, layOut } from '../observability/metric.ts';
import { countedRoutes } from './route-names.ts';

const limits = [
  'management-requests',
  'evaluation-requests',
  'console-requests',
  'sign-in-attempts',
  'failed-authentications',
] as const;
export type LimitName = (typeof limits)[number];

/** @returns the series of a limit in `rateLimited` */
export function limitIndex(name: LimitName): number {
  return limits.indexOf(name);
}

/** Written by the main thread alone. */
export const gatewayMetrics = layOut({
  durations: histogram(
    'burgee_http_request_duration_seconds',
    'Answered requests by route and status, and how long each took from its first line to its answer, or to the last byte that a slow client took of a long list.',
    durationBounds,
    countedRoutes.flatMap((route) =>
      answerStatuses.map((status) => ({ ...route, status: status === 0 ? 'other' : String(status) })),
    ),
  ),
  unanswered: counter(
    'burgee_http_requests_unanswered_total',
    'Requests without a whole answer: the client went away, or the service cut the connection.',
    countedRoutes.flatMap((route) => unansweredBy.map((by) => ({ ...route, by }))),
  ),
  rateLimited: counter(
    'burgee_rate_limited_requests_total',
    'Requests that were answered 429, by the limit that was reached.',
    limits.map((limit) => ({ limit })),
  ),
  failedAuthentications: counter(
    'burgee_failed_authentications_total',
    'Management API requests whose token was missing, malformed or unknown.',
  ),
  unrecordedDenials: counter(
    'burgee_unrecorded_denials_total',
    'Refusals of real tokens that could not be recorded.',
  ),
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
    'Requests of the console that are not answered yet, open event streams included.',
  ),
  writerInFlight: gauge('burgee_writer_requests_in_flight', 'Requests that wait for the writer.'),
  writerQueueDepth: gauge('burgee_writer_queue_depth', 'Commands that the writer has not finished.'),
  writerQueueBytes: gauge(
    'burgee_writer_queue_bytes',
    'Bodies of the commands that the writer has not finished.',
  ),
  loopDelay: eventLoopDelay('gateway'),
});
