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
    ...{ id: `node${index}`, counter: 1, applied: 9, knowsFormat: 1, leaseMs: 3000 },
  }));
}

function acknowledgementsOf(rows: readonly NodeRow[], wait: 'all' | 'none' = 'all'): Acknowledgements {
  const acknowledgements = new Acknowledgements({
    self: () => 'self',
    leaseMs: 3000,
    waitMs: 50,
    wait,
    meter: new ClusterMeter(createMetricMemory(clusterMetrics), 50),
  });
  acknowledgements.observe(rows, monotonicMs());
  return acknowledgements;
}

t.test('a change is not acknowledged past nodes that were not shown', async (t) => {
  t.equal(await acknowledgementsOf(nodes(nodesMax - 1)).everywhere(9, 0), 'everywhere');
  const acknowledgements = acknowledgementsOf(nodes(nodesMax));
  let told = '';
  const waiting = acknowledgements.everywhere(9, 0).then((confirmation) => {
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

t.test('each node is waited for by its own lease', async (t) => {
  const lapsedHere = 3400;
  const told = async (leaseMs: number): Promise<string> => {
    const [row] = nodes(1) as [NodeRow];
    const rows = [{ ...row, applied: 8, leaseMs }];
    const acknowledgements = acknowledgementsOf(rows);
    acknowledgements.observe(rows, monotonicMs() + lapsedHere);
    const waiting = acknowledgements.everywhere(9, 0, monotonicMs() - 100);
    acknowledgements.settle();
    return await waiting;
  };
  t.equal(await told(3000), 'everywhere', 'it has been silent for longer');
  t.equal(await told(10_000), 'unconfirmed', 'it may still take its state for current');
});

t.test('where nodes are not waited for, the standby still is', async (t) => {
  const rows = nodes(1).map((row) => ({ ...row, applied: 1 }));
  const acknowledgements = acknowledgementsOf(rows, 'none');
  t.equal(await acknowledgements.everywhere(9, 0), 'everywhere');
  acknowledgements.committedHereOnly(10);
  t.equal(await acknowledgements.everywhere(10, 0, monotonicMs() - 100), 'unconfirmed');
  const waiting = acknowledgements.everywhere(10, 0);
  acknowledgements.committed(11);
  acknowledgements.settle();
  t.equal(await waiting, 'everywhere', 'a later commit was confirmed by it');
});

t.test('of a history that was lost nothing is confirmed, and leases of then are waited for', async (t) => {
  const acknowledgements = acknowledgementsOf([]);
  const { losses } = acknowledgements;
  const waiting = acknowledgementsOf(nodes(1).map((row) => ({ ...row, applied: 1 })));
  const before = waiting.everywhere(9, waiting.losses);
  waiting.historyLost();
  t.equal(await before, 'unknown');
  t.equal(await acknowledgements.everywhere(9, losses), 'everywhere');
  acknowledgements.historyLost();
  acknowledgements.observe([], monotonicMs());
  t.equal(await acknowledgements.everywhere(9, losses), 'unknown', 'it was stored before');
  const soon = await acknowledgements.everywhere(9, acknowledgements.losses, monotonicMs() - 100);
  t.equal(soon, 'unconfirmed', 'a node whose row was lost may still be attached');
});
