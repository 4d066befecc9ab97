import { evaluationReasons } from '../domain/evaluation/evaluation-reason.ts';
import { counter, gauge, histogram, type Labels, layOut } from '../observability/metric.ts';

/** Why an evaluation was refused: no flag was evaluated. */
export const refusalReasons = [
  'invalid-request',
  'not-found',
  'access-off',
  'no-environment',
  'failed',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** What asked for it: one flag, or a whole project. */
const evaluationKinds = ['flag', 'project'] as const;
export type EvaluationKind = (typeof evaluationKinds)[number];

/** For each kind: the reasons of answers in their own order, then those of refusals. */
const evaluationSeries: readonly Labels[] = evaluationKinds.flatMap((kind) => [
  ...evaluationReasons.map(({ name, isOn }) => ({ kind, outcome: isOn ? 'on' : 'off', reason: name })),
  ...refusalReasons.map((reason) => ({ kind, outcome: 'refused', reason })),
]);

export const cacheResults = ['hit', 'miss', 'absent'] as const;
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/** Of one evaluator: its own thread writes them. Of all: their sum, and what only the fleet knows. */
export const evaluatorMetrics = layOut({
  evaluations: counter(
    'burgee_evaluations_total',
    'Flags evaluated, by what asked (one flag, or a project with all of its flags), outcome and reason. A refusal counts once.',
    evaluationSeries,
  ),
  batchSize: histogram(
    'burgee_evaluator_batch_size',
    'Requests that an evaluator took from its mailbox at once.',
    batchBounds,
  ),
  idle: counter(
    'burgee_evaluator_idle_seconds_total',
    'Seconds that evaluators waited for work, all together. Busy share: 1 - rate(this) / burgee_evaluators.',
  ),
  cacheLookups: counter(
    'burgee_flag_cache_lookups_total',
    'Look-ups of compiled flags: found, compiled from the store, or of a flag that does not exist.',
    cacheResults.map((result) => ({ result })),
  ),
  cacheEvictions: counter(
    'burgee_flag_cache_evictions_total',
    'Compiled flags that were dropped to make room.',
  ),
  cacheBytes: gauge('burgee_flag_cache_bytes', 'Memory of the compiled flags, all evaluators together.'),
  listLookups: counter(
    'burgee_project_list_lookups_total',
    'Look-ups of the compiled lists of whole projects: found, or to be built first.',
    [{ result: 'hit' }, { result: 'miss' }],
  ),
  listEvictions: counter(
    'burgee_project_list_evictions_total',
    'Compiled lists of projects that were dropped to make room.',
  ),
  listBytes: gauge('burgee_project_list_bytes', 'Memory of the compiled lists, all evaluators together.'),
  evaluators: gauge('burgee_evaluators', 'Evaluators in the rotation.'),
  evaluatorsWanted: gauge('burgee_evaluators_configured', 'Evaluators that there should be.'),
  replacements: counter(
    'burgee_evaluator_replacements_total',
    'Evaluators that died or hung and were replaced.',
  ),
  queueDepth: gauge(
    'burgee_evaluator_queue_depth',
    'Requests in mailboxes that no evaluator has answered yet.',
  ),
  inFlight: gauge(
    'burgee_evaluator_requests_in_flight',
    'Requests that evaluators have: in mailboxes, being made, or being sent to slow clients.',
  ),
});
