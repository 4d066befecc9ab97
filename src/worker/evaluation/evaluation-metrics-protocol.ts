import { evaluationReasons } from '../../domain/evaluation/evaluation-reason.ts';
import { counter, gauge, histogram, type Labels, layOut } from '../../observability/metric.ts';

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

/** How the wait of an evaluation for a long flag ended. */
export const waitEnds = ['answered', 'refused', 'late', 'left'] as const;
export type WaitEnd = (typeof waitEnds)[number];

/** Whose share of the places for long answers was used up when one was refused. */
export const refusedShares = ['asker', 'project', 'organisation', 'address', 'all'] as const;
export type RefusedShare = (typeof refusedShares)[number];

export const cacheResults = ['hit', 'miss', 'absent'] as const;
/** Seconds. */
const stepBounds = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5] as const;

/**
 * What a step of a worker is for: a short flag is compiled within its request (`compile`), long ones are read and lists
 * indexed (`load`), a read is answered as far as its first piece (`read`), a slice of a long answer is made (`answer`), or a
 * part of a change's body is taken in or the body handed over (`body`).
 */
export const stepKinds = ['compile', 'load', 'read', 'answer', 'body'] as const;
export type StepKind = (typeof stepKinds)[number];

/** Of one worker: its own thread writes them. */
export const evaluationMetrics = layOut({
  evaluations: counter(
    'burgee_evaluations_total',
    'Flags evaluated, by what asked (one flag, or a project with all of its flags), outcome and reason. A refusal counts once.',
    evaluationSeries,
  ),
  steps: histogram(
    'burgee_worker_step_duration_seconds',
    'What a worker does between two looks at its sockets, beside evaluations of flags that are compiled already: compiling one, reading, a slice of a long answer, by what it was for.',
    stepBounds,
    stepKinds.map((work) => ({ work })),
  ),
  cacheLookups: counter(
    'burgee_flag_cache_lookups_total',
    'Look-ups of compiled flags: found, compiled from the store, or of a flag that does not exist.',
    cacheResults.map((result) => ({ result })),
  ),
  waits: counter(
    'burgee_evaluation_waits_total',
    'Evaluations whose flag had to be read in steps first: answered, refused because too many waited, late, or left by their clients.',
    waitEnds.map((end) => ({ end })),
  ),
  refusedLongAnswers: counter(
    'burgee_long_answers_refused_total',
    'Long answers that were refused, by whose share of the places, or of their memory, was used up.',
    refusedShares.map((share) => ({ share })),
  ),
  displacedLongAnswers: counter(
    'burgee_long_answers_displaced_total',
    'Long answers that were cut because their clients did not read and others needed their places.',
  ),
  cacheEvictions: counter(
    'burgee_flag_cache_evictions_total',
    'Compiled flags that were dropped to make room.',
  ),
  cacheBytes: gauge('burgee_flag_cache_bytes', 'Memory of the compiled flags, all workers together.'),
  listLookups: counter(
    'burgee_project_list_lookups_total',
    'Look-ups of the compiled lists of whole projects: found, or to be built first.',
    [{ result: 'hit' }, { result: 'miss' }],
  ),
  listEvictions: counter(
    'burgee_project_list_evictions_total',
    'Compiled lists of projects that were dropped to make room.',
  ),
  listBytes: gauge('burgee_project_list_bytes', 'Memory of the compiled lists, all workers together.'),
});
