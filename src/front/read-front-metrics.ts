import { type MetricCells, put } from '../observability/metric-cells.ts';
import { usedOf } from '../worker/limits/shared-budget.ts';
import type { BudgetName, SharedLimits } from '../worker/worker-protocol.ts';
import type { WriterLinks } from '../writer/client/writer-client.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { frontMetrics } from './front-metrics-protocol.ts';
import type { UsageRecorder } from './usage-recorder.ts';
import type { WorkerFleet } from './worker-fleet.ts';

/** What the cells of `frontMetrics` tell of. */
interface FrontReadings {
  readonly fleet: WorkerFleet;
  readonly workersWanted: number;
  readonly limits: SharedLimits;
  readonly connectionLimit: ConnectionLimit;
  readonly writerLinks: WriterLinks;
  readonly usage: UsageRecorder;
}

/** Brings the cells of `frontMetrics` up to date. */
export function readFrontMetrics(
  cells: MetricCells,
  { fleet, workersWanted, limits, connectionLimit, writerLinks, usage }: FrontReadings,
): void {
  const { metrics } = frontMetrics;
  const used = (name: BudgetName): number => usedOf(limits.budgets[name]);
  const { connections } = fleet;
  put(cells, metrics.workers, fleet.serving);
  put(cells, metrics.workersWanted, workersWanted);
  put(cells, metrics.replacements, fleet.replacements);
  put(
    cells,
    metrics.connections,
    connections.reduce((sum, count) => sum + count, 0),
  );
  put(cells, metrics.connectionsMax, connectionLimit.max);
  put(cells, metrics.refusedConnections, connectionLimit.refused);
  put(cells, metrics.busiestConnections, Math.max(0, ...connections));
  put(cells, metrics.longAnswers, used('longAnswers'));
  const kept = used('unsentBytes') + used('longAnswerBytes');
  put(cells, metrics.unsentBytes, kept);
  put(cells, metrics.pinnedSnapshots, used('snapshots'));
  put(cells, metrics.bodyBytes, used('bodyBytes'));
  put(cells, metrics.uncountedEvaluations, usage.evaluationCounts.uncounted);
  put(cells, metrics.uncountedTokenUses, usage.tokenUses.uncounted);
  put(cells, metrics.managementInFlight, used('managementRequests'));
  put(cells, metrics.consoleInFlight, used('consoleRequests'));
  put(cells, metrics.writerQueueDepth, writerLinks.unsettled);
  put(cells, metrics.writerQueueBytes, writerLinks.unsettledBytes);
}
