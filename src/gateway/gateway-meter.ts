import { AnswerMeter } from '../observability/answer-meter.ts';
import { count, createMetricMemory, type MetricCells } from '../observability/metric-cells.ts';
import { gatewayMetrics, type LimitName, limitIndex } from './gateway-metrics.ts';

const { metrics } = gatewayMetrics;

/** Where the gateway counts. */
export class GatewayMeter {
  readonly cells: MetricCells = new Float64Array(createMetricMemory(gatewayMetrics));
  readonly answers = new AnswerMeter(this.cells, metrics);

  countLimited(limit: LimitName): void {
    count(this.cells, metrics.rateLimited, limitIndex(limit));
  }

  countFailedAuthentication(): void {
    count(this.cells, metrics.failedAuthentications);
  }

  countUnrecordedDenial(): void {
    count(this.cells, metrics.unrecordedDenials);
  }

  /** Evaluations that were answered, and that the console will not show. */
  countUncounted(evaluations: number): void {
    count(this.cells, metrics.uncountedEvaluations, 0, evaluations);
  }

  /** Answered requests that no token's activity will show. */
  countUncountedTokenUses(uses: number): void {
    count(this.cells, metrics.uncountedTokenUses, 0, uses);
  }
}
