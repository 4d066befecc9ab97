import t from 'tap';
import { clusterMetrics } from '../../src/cluster/client/cluster-metrics-protocol.ts';
import { nodesMax } from '../../src/cluster/sql/node-statements.ts';
import type { NodeRow } from '../../src/cluster/sql/rows.ts';
import { Acknowledgements } from '../../src/cluster/thread/acknowledgements.ts';
import { ClusterMeter } from '../../src/cluster/thread/cluster-meter.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import { eventually } from '../support/expectations.ts';

function nodes(count: number): NodeRow[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ id: `node${index}`, counter: 1, applied: 9, knowsFormat: 1 },
  }));
}

function acknowledgementsOf(rows: readonly NodeRow[]): Acknowledgements {
  const acknowledgements = new Acknowledgements({
    self: () => 'self',
    leaseMs: 3000,
    waitMs: 50,
    wait: 'all',
    meter: new ClusterMeter(createMetricMemory(clusterMetrics), 50),
  });
  acknowledgements.observe(rows, monotonicMs());
  return acknowledgements;
}

t.test('a change is not acknowledged past nodes that were not shown', async (t) => {
  t.equal(await acknowledgementsOf(nodes(nodesMax - 1)).everywhere(9), 'everywhere');
  const acknowledgements = acknowledgementsOf(nodes(nodesMax));
  let told = '';
  const waiting = acknowledgements.everywhere(9).then((confirmation) => {
    told = confirmation;
  });
  await eventually(
    () => {
      acknowledgements.settle();
      return told !== '';
    },
    5000,
    'it is settled',
  );
  await waiting;
  t.equal(told, 'unconfirmed');
});
