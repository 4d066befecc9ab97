import { answerStatuses, unansweredBy } from '../observability/answer-meter.ts';
import { eventLoopActive, eventLoopDelay } from '../observability/event-loop.ts';
import { counter, durationBounds, gauge, histogram, layOut } from '../observability/metric.ts';
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

/** Events of sync, under which they are counted. */
export const syncEventNames = ['snapshot', 'delta', 'beat', 'goodbye'] as const;
/** Why the service ends a stream of sync. */
export const syncEndings = ['token', 'environment', 'slow', 'drain', 'detached', 'fault'] as const;

/** Whose event stream was refused: a program's, or a browser's. */
export const refusedStreams = ['all', 'browsers'] as const;
export type RefusedStream = (typeof refusedStreams)[number];

/** Written by the thread that answers: each worker, and the front end while no worker serves. */
export const requestMetrics = layOut({
  durations: histogram(
    'burgee_http_request_duration_seconds',
    'Time from the first line of a request to its answer, by route and status. A long list ends with the last byte that its client took.',
    durationBounds,
    countedRoutes.flatMap((route) =>
      answerStatuses.map((status) => ({ ...route, status: status === 0 ? 'other' : String(status) })),
    ),
  ),
  unanswered: counter(
    'burgee_http_requests_unanswered_total',
    'Requests without a complete answer: the client went away, or the service cut the connection.',
    countedRoutes.flatMap((route) => unansweredBy.map((by) => ({ ...route, by }))),
  ),
  rateLimited: counter(
    'burgee_rate_limited_requests_total',
    'Requests that got 429, by the limit that was reached.',
    limits.map((limit) => ({ limit })),
  ),
  failedAuthentications: counter(
    'burgee_failed_authentications_total',
    'Requests of the Management API and of sync whose token was missing, malformed or unknown.',
  ),
  failedSignIns: counter(
    'burgee_failed_sign_ins_total',
    'Sign-ins to the console with a wrong password, by whether a member has the email.',
    [{ account: 'known' }, { account: 'unknown' }],
  ),
  unrecordedDenials: counter(
    'burgee_unrecorded_denials_total',
    'Refusals of real tokens that could not be recorded.',
  ),
  syncStreams: gauge('burgee_sync_streams', 'Open streams of sync.'),
  browserStreams: gauge('burgee_browser_streams', 'Open event streams of browsers that use OFREP.'),
  syncEvents: counter(
    'burgee_sync_events_total',
    'Events on streams of sync, by kind.',
    syncEventNames.map((event) => ({ event })),
  ),
  syncBytes: counter('burgee_sync_bytes_total', 'Bytes of events that were written to streams of sync.'),
  syncRefused: counter(
    'burgee_sync_streams_refused_total',
    'Streams of sync and of browsers that were refused, by the limit that was reached: of all streams or of their client, or of browsers.',
    refusedStreams.map((share) => ({ share })),
  ),
  syncEnded: counter(
    'burgee_sync_streams_ended_total',
    'Streams of sync that the service ended: the token or the environment did not permit them any more, the client did not read, the service drained, the node was cut off, or the store could not be read.',
    syncEndings.map((why) => ({ why })),
  ),
  syncUsage: counter(
    'burgee_sync_usage_total',
    'Evaluations that clients of sync have reported: counted, and ignored because their flags are unknown.',
    [{ result: 'counted' }, { result: 'ignored' }],
  ),
  longAnswers: gauge(
    'burgee_long_answers_in_flight',
    'Answers of more than one chunk that are being made, or sent to slow clients.',
  ),
  unsentBytes: gauge(
    'burgee_unsent_answer_bytes',
    'Memory for answers that their clients have not read to the end.',
  ),
  pinnedSnapshots: gauge(
    'burgee_pinned_snapshots',
    'Snapshots that long answers and list builds hold: each keeps pages of the store from being reused.',
  ),
  bodyBytes: gauge(
    'burgee_body_bytes',
    'Memory for bodies of requests that are arriving or wait for the writer.',
  ),
  managementInFlight: gauge(
    'burgee_management_requests_in_flight',
    'Requests of the Management API that are not answered yet and wait: for their body, for other reads or for the writer.',
  ),
  consoleInFlight: gauge(
    'burgee_console_requests_in_flight',
    'Requests of the console that are not answered yet and wait: for their body, for other reads or for the writer.',
  ),
  loopActive: eventLoopActive('worker'),
  loopDelay: eventLoopDelay('worker'),
});
