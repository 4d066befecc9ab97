import t from 'tap';
import { clusterMetrics } from '../../src/cluster/client/cluster-metrics-protocol.ts';
import { ClusterMeter } from '../../src/cluster/thread/cluster-meter.ts';
import { ClockWatch } from '../../src/cluster/thread/membership.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';

t.test('a clock that is off is told once, until it was right in between', async (test) => {
  const warned: unknown[] = [];
  const log = { warn: (what: unknown) => warned.push(what) } as unknown as Logger;
  const meter = new ClusterMeter(createMetricMemory(clusterMetrics), 5000);
  const watch = new ClockWatch(meter, log);
  const shown = (): number | undefined => meter.cells[clusterMetrics.metrics.clockSkew.firstCell];
  watch.compare(100_000, 100_010, 100_020);
  test.equal(shown(), 0);
  watch.compare(100_000, 98_900, 104_000);
  test.same(warned, [{ seconds: 3.1 }], 'more than the delay explains');
  watch.compare(100_000, 104_999, 104_000);
  test.equal(warned.length, 1, 'the delay may explain it all but a second');
  watch.compare(100_000, 102_000, 100_020);
  watch.compare(100_000, 102_000, 100_020);
  test.same(warned.slice(1), [{ seconds: -2 }]);
  test.equal(shown(), -1.99);
});
