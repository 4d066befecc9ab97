import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import type { Comparison } from '../../bench/comparison.ts';
import { binaryPeers } from '../../bench/peers/binaries/binary-peers.ts';
import { checkShare } from '../../bench/peers/check-half.ts';
import { ensurePostgres } from '../../bench/peers/find-postgres.ts';
import { peersFolder } from '../../bench/peers/peer-packages.ts';
import { startAdapter } from '../../bench/peers/start-adapter.ts';
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

t.test('a share that chance does not explain is refused', async (t) => {
  checkShare('a peer', 50_300, 100_000);
  t.throws(() => checkShare('a peer', 51_000, 100_000), /on for 51000 of 100000 users/);
  t.throws(() => checkShare('a peer', 0, 100), /not about half/);
});

t.test('an adapter that cannot start says why', async (t) => {
  await t.rejects(startAdapter('postgres', [join(folder, 'nowhere')]), {
    message: /the adapter postgres ended with 1 before it was ready: [\s\S]*initdb/,
  });
  t.strictSame(readdirSync(folder), [], 'no data is left');
});

t.test('an adapter ends and cleans up when its parent is killed', async (t) => {
  const programs = await ensurePostgres((text) => t.comment(text)).catch((fault: Error) => fault);
  if (programs instanceof Error) {
    t.equal(process.env['CI'], undefined, programs.message);
    t.pass('PostgreSQL', { skip: programs.message });
    return;
  }
  const adapter = join(peersFolder, 'adapters', 'postgres.mjs');
  // The adapter shares its parent's standard error, which is closed only when both have ended.
  const start = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([adapter, programs])},
    { stdio: ['pipe', 'inherit', 'inherit'] });`;
  const parent = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'pipe'] });
  parent.stderr.resume();
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const { socketDirectory } = JSON.parse(String(line)) as { readonly socketDirectory: string };
  t.ok(existsSync(socketDirectory));
  const closed = once(parent, 'close');
  parent.kill('SIGKILL');
  await closed;
  t.notOk(existsSync(socketDirectory), 'the data is gone');
});
