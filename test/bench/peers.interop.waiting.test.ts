import { readdirSync } from 'node:fs';
import t from 'tap';
import type { Comparison } from '../../bench/comparison.ts';
import { binaryPeers } from '../../bench/peers/binaries/binary-peers.ts';
import { peersScenario } from '../../bench/scenarios/peers.load.ts';
import { quickBench, useTemporaryFolder } from './quick-bench.ts';

const bench = quickBench();
const { drivers } = bench.settings;

function figuresOf(comparison: Comparison): [string, number][] {
  // The load generator's lateness may be 0, or NaN if no connection was free in time.
  const metrics = comparison.metrics.filter(({ key }) => key !== 'lateP99Us');
  return metrics.flatMap(({ key, values }) =>
    comparison.contenders.map(({ name }): [string, number] => [
      `${comparison.id}: ${key} of ${name}`,
      values[name]?.[0] ?? Number.NaN,
    ]),
  );
}

const folder = useTemporaryFolder();

t.test('the scenario compares Burgee with every peer and leaves nothing behind', async (t) => {
  const { comparisons, targets, missing: missingOfAll } = await peersScenario.run(bench);
  const isGiven = ({ name }: { readonly name: string }): boolean =>
    !binaryPeers.some((peer) => peer.name === name);
  const missing = missingOfAll.filter(isGiven);
  t.equal(missingOfAll.length - missing.length, binaryPeers.length, 'programs that were not given are named');
  if (missing.length > 0 && process.env['CI'] === undefined) {
    const reasons = missing.map(({ name, why }) => `${name}: ${why}`).join('\n');
    console.error(`Peers that this machine cannot run were not compared:\n${reasons}`);
    t.pass('peers', { skip: `this machine cannot run: ${missing.map(({ name }) => name).join(', ')}` });
    return;
  }
  t.strictSame(missing, []);
  const throughputs = ['-unleash-proxy', '-unleash-server'].flatMap((suffix) =>
    drivers.map((driver) => `throughput-${driver}${suffix}`),
  );
  t.strictSame(
    comparisons.map(({ id }) => id),
    [...throughputs, 'latency-unleash-proxy', 'latency-unleash-server', 'in-process'],
  );
  for (const [what, figure] of comparisons.flatMap(figuresOf)) t.ok(figure > 0, `${what} is ${figure}`);
  for (const { contenders, base } of comparisons) {
    t.ok(
      contenders.some(({ name }) => name === base),
      `${base} is a contender`,
    );
    for (const { what } of contenders) t.match(what, /\d+\.\d+\.\d+/, 'the description has the version');
  }
  for (const { comparison, metric, contender } of targets) {
    const found = comparisons.find(({ id }) => id === comparison);
    const values = found?.metrics.find(({ key }) => key === metric)?.values[contender];
    t.equal(values?.length, 1, `${contender} has the metric ${metric} in ${comparison}`);
  }
  t.strictSame(readdirSync(folder), [], 'no data is left');
});
