import { evaluationReasons } from '../../domain/evaluation/evaluation-reason.ts';
import { count, type MetricCells, observe, put } from '../../observability/metric-cells.ts';
import { assert } from '../../support/assert.ts';
import {
  cacheResults,
  type EvaluationKind,
  evaluationMetrics,
  type RefusalReason,
  refusalReasons,
  type StepKind,
  stepKinds,
} from './evaluation-metrics-protocol.ts';

const { metrics } = evaluationMetrics;
const seriesOfKind = evaluationReasons.length + refusalReasons.length;
// Numbers instead of names, so that counting costs an evaluation one addition.
const flagCell = metrics.evaluations.firstCell;
const projectCell = flagCell + seriesOfKind;
const hitCell = metrics.cacheLookups.firstCell + cacheResults.indexOf('hit');
const missCell = metrics.cacheLookups.firstCell + cacheResults.indexOf('miss');
const absentCell = metrics.cacheLookups.firstCell + cacheResults.indexOf('absent');

/** The counters of a worker's evaluations: plain additions to cells that only this worker writes. */
export class EvaluationMeter {
  readonly #cells: MetricCells;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory);
    assert(
      this.#cells.length === evaluationMetrics.cellCount,
      'the memory is that of the metrics of evaluations',
    );
  }

  #add(cell: number): void {
    this.#cells[cell] = (this.#cells[cell] as number) + 1;
  }

  /** Evaluations of single flags since the start. */
  get flags(): number {
    let sum = 0;
    for (let reason = 0; reason < evaluationReasons.length; reason += 1)
      sum += this.#cells[flagCell + reason] as number;
    return sum;
  }

  /** Counts an evaluation of one flag. @param reason index in `evaluationReasons` */
  countFlag(reason: number): void {
    this.#add(flagCell + reason);
  }

  /** Counts one flag of an evaluation of a whole project. */
  countFlagOfProject(reason: number): void {
    this.#add(projectCell + reason);
  }

  countRefusal(kind: EvaluationKind, reason: RefusalReason): void {
    const first = kind === 'flag' ? flagCell : projectCell;
    this.#add(first + evaluationReasons.length + refusalReasons.indexOf(reason));
  }

  /** Observes a step during which the worker's thread did not poll its sockets. @param ms its length */
  observeStep(kind: StepKind, ms: number): void {
    observe(this.#cells, metrics.steps, stepKinds.indexOf(kind), ms / 1000);
  }

  countHit(): void {
    this.#add(hitCell);
  }

  /** @param isAbsent whether there is no such flag */
  countMiss(isAbsent: boolean): void {
    this.#add(isAbsent ? absentCell : missCell);
  }

  countRefusedLongAnswer(): void {
    count(this.#cells, metrics.refusedLongAnswers);
  }

  countListLookup(isFound: boolean): void {
    count(this.#cells, metrics.listLookups, isFound ? 0 : 1);
  }

  countEvictions(flags: number): void {
    count(this.#cells, metrics.cacheEvictions, 0, flags);
  }

  countListEviction(): void {
    count(this.#cells, metrics.listEvictions);
  }

  putBytes(cacheBytes: number, listBytes: number): void {
    put(this.#cells, metrics.cacheBytes, cacheBytes);
    put(this.#cells, metrics.listBytes, listBytes);
  }
}
