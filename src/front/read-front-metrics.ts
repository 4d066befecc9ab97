import { type MetricCells, put } from '../observability/metric-cells.ts';
import type { ConnectionRoom } from '../worker/limits/connection-room.ts';
import type { WriterLinks } from '../writer/client/writer-client.ts';
import { frontMetrics } from './front-metrics-protocol.ts';
import type { UsageRecorder } from './usage-recorder.ts';
import type { WorkerFleet } from './worker-fleet.ts';

/** What the cells of `frontMetrics` tell of. */
interface FrontReadings {
  readonly fleet: WorkerFleet;
  readonly workersWanted: number;
  readonly connections: ConnectionRoom;
  readonly writerLinks: WriterLinks;
  readonly usage: UsageRecorder;
}

/** Brings the cells of `frontMetrics` up to date. */
export function readFrontMetrics(
  cells: MetricCells,
  { fleet, workersWanted, connections: room, writerLinks, usage }: FrontReadings,
): void {
  const { metrics } = frontMetrics;
  const { connections } = fleet;
  put(cells, metrics.workers, fleet.serving);
  put(cells, metrics.workersWanted, workersWanted);
  put(cells, metrics.replacements, fleet.replacements);
  put(
    cells,
    metrics.connections,
    connections.reduce((sum, count) => sum + count, 0),
  );
  put(cells, metrics.connectionsMax, room.max);
  put(cells, metrics.refusedConnections, room.refused);
  put(cells, metrics.busiestConnections, Math.max(0, ...connections));
  put(cells, metrics.uncountedEvaluations, usage.evaluationCounts.uncounted);
  put(cells, metrics.uncountedTokenUses, usage.tokenUses.uncounted);
  put(cells, metrics.writerQueueDepth, writerLinks.unsettled);
  put(cells, metrics.writerQueueBytes, writerLinks.unsettledBytes);
}
