import { evaluationReasons } from '../../domain/evaluation/evaluation-reason.ts';
import { count, type MetricCells, observe, put } from '../../observability/metric-cells.ts';
import { assert } from '../../support/assert.ts';
import {
  cacheResults,
  type EvaluationKind,
  evaluationMetrics,
  type RefusalReason,
  type RefusedShare,
  refusalReasons,
  refusedShares,
  type StepKind,
  stepKinds,
  type WaitEnd,
  waitEnds,
} from './evaluation-metrics-protocol.ts';

const { metrics } = evaluationMetrics;
const seriesOfKind = evaluationReasons.length + refusalReasons.length;
// Numbers, so that counting on the way of every evaluation is one addition.
const flagCell = metrics.evaluations.firstCell;
const projectCell = flagCell + seriesOfKind;
const hitCell = metrics.cacheLookups.firstCell + cacheResults.indexOf('hit');
const missCell = metrics.cacheLookups.firstCell + cacheResults.indexOf('miss');
const absentCell = metrics.cacheLookups.firstCell + cacheResults.indexOf('absent');

/** Where a worker counts what it evaluates: plain additions to cells that it alone writes. */
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

  /** One flag was asked for. @param reason index in `evaluationReasons` */
  countFlag(reason: number): void {
    this.#add(flagCell + reason);
  }

  /** One flag of a project that was asked for as a whole. */
  countFlagOfProject(reason: number): void {
    this.#add(projectCell + reason);
  }

  countRefusal(kind: EvaluationKind, reason: RefusalReason): void {
    const first = kind === 'flag' ? flagCell : projectCell;
    this.#add(first + evaluationReasons.length + refusalReasons.indexOf(reason));
  }

  /** Something ran on the worker's thread without a look at the sockets. @param ms how long it took */
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

  countWait(end: WaitEnd): void {
    count(this.#cells, metrics.waits, waitEnds.indexOf(end));
  }

  countRefusedLongAnswer(share: RefusedShare): void {
    count(this.#cells, metrics.refusedLongAnswers, refusedShares.indexOf(share));
  }

  countDisplacedLongAnswer(): void {
    count(this.#cells, metrics.displacedLongAnswers);
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
