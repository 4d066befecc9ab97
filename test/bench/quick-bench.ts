import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Comparison } from '../../bench/comparison.ts';
import { availableDrivers } from '../../bench/load/closed-loop.ts';
import type { Bench, BenchSettings, ComparisonPlan } from '../../bench/scenario.ts';

const seconds = 0.3;

/** One round of each contender, without warm-up. */
async function compareOnce({ contenders, metrics, ...plan }: ComparisonPlan): Promise<Comparison> {
  const figures = new Map<string, Readonly<Record<string, number>>>();
  for (const { name, measure } of contenders) figures.set(name, (await measure(seconds)).figures);
  const valuesOf = (key: string): Record<string, number[]> =>
    Object.fromEntries([...figures].map(([name, values]) => [name, [values[key] ?? Number.NaN]]));
  return {
    ...plan,
    rounds: 1,
    contenders: contenders.map(({ name, what }) => ({ name, what })),
    metrics: metrics.map((metric) => ({ ...metric, values: valuesOf(metric.key) })),
  };
}

/** A bench for parts of a scenario, with the smallest sizes. */
export function quickBench(peerPrograms: BenchSettings['peerPrograms'] = new Map()): Bench {
  return {
    settings: {
      seconds,
      connections: 8,
      rounds: 1,
      // One driver is enough: closed-loop.full.test.ts tests each of them.
      drivers: availableDrivers().slice(0, 1),
      isQuick: true,
      peerPrograms,
      checkoutBefore: null,
      elsewhere: null,
    },
    compare: compareOnce,
    note: (text) => t.comment(text),
  };
}

/** @returns a temporary folder for the processes that this one starts; other users can pass through it */
export function useTemporaryFolder(): string {
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'peers-'));
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  t.teardown(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
