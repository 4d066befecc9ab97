import { evaluationReasons } from '../../domain/evaluation/evaluation-reason.ts';
import { counter, gauge, histogram, type Labels, layOut } from '../../observability/metric.ts';

/** Reasons of refusals: no flag was evaluated. */
export const refusalReasons = [
  'invalid-request',
  'not-found',
  'access-off',
  'no-environment',
  'failed',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** The kinds of request: one flag, or a whole project. */
const evaluationKinds = ['flag', 'project'] as const;
export type EvaluationKind = (typeof evaluationKinds)[number];

/** For each kind: the reasons of answers in their order, then those of refusals. */
const evaluationSeries: readonly Labels[] = evaluationKinds.flatMap((kind) => [
  ...evaluationReasons.map(({ name, isOn }) => ({ kind, outcome: isOn ? 'on' : 'off', reason: name })),
  ...refusalReasons.map((reason) => ({ kind, outcome: 'refused', reason })),
]);

export const cacheResults = ['hit', 'miss', 'absent'] as const;
/** Seconds. */
const stepBounds = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5] as const;

/**
 * What a step of a worker does: it compiles a short flag within its request (`compile`), reads long flags or indexes
 * lists (`load`), answers a read up to its first piece (`read`), makes a slice of a long answer (`answer`), takes in a
 * part of a change's body or hands the body over (`body`).
 */
export const stepKinds = ['compile', 'read', 'answer', 'body'] as const;
export type StepKind = (typeof stepKinds)[number];

/** Metrics of one worker: only its own thread writes them. */
export const evaluationMetrics = layOut({
  evaluations: counter(
    'burgee_evaluations_total',
    'Flags evaluated, by kind of request (one flag or a whole project), outcome and reason. A refusal counts once.',
    evaluationSeries,
  ),
  steps: histogram(
    'burgee_worker_step_duration_seconds',
    'Length of the steps of a worker, by purpose: its thread does not poll its sockets during a step. Evaluations of flags that are compiled already are not counted.',
    stepBounds,
    stepKinds.map((work) => ({ work })),
  ),
  cacheLookups: counter(
    'burgee_flag_cache_lookups_total',
    'Look-ups in the cache of compiled flags: found, compiled from the store, or no such flag.',
    cacheResults.map((result) => ({ result })),
  ),
  refusedLongAnswers: counter('burgee_long_answers_refused_total', 'Long answers that found no room.'),
  cacheEvictions: counter(
    'burgee_flag_cache_evictions_total',
    'Compiled flags that were dropped to make room.',
  ),
  cacheBytes: gauge('burgee_flag_cache_bytes', 'Memory of the compiled flags of all workers.'),
  listLookups: counter(
    'burgee_project_list_lookups_total',
    'Look-ups of compiled lists of whole projects: found, or built first.',
    [{ result: 'hit' }, { result: 'miss' }],
  ),
  listEvictions: counter(
    'burgee_project_list_evictions_total',
    'Compiled lists of projects that were dropped to make room.',
  ),
  listBytes: gauge('burgee_project_list_bytes', 'Memory of the compiled lists of all workers.'),
});
