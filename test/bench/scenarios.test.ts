import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import type { Comparison, ScenarioReport } from '../../bench/comparison.ts';
import { availableDrivers } from '../../bench/load/closed-loop.ts';
import { readHistogram } from '../../bench/load/latency-histogram.ts';
import { readResults } from '../../bench/report/result-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runBench } from './bench-command.ts';

/** What is promised or asked for in words, by scenario: comparisons that must be there. */
const comparisonsOf: Readonly<Record<string, readonly RegExp[]>> = {
  'evaluate-flag': [/^throughput-autocannon$/, /^latency$/, /^throughput-autocannon-counting$/],
  'evaluate-mixed': [/^throughput-autocannon$/, /^latency$/],
  'evaluate-project': [/^throughput-autocannon-10$/, /^throughput-autocannon-100$/],
  'evaluate-while-patching': [/^throughput-autocannon$/, /^latency$/, /^freshness$/],
  'scale-flags': [/^throughput-autocannon$/, /^latency$/, /^start-up$/],
  'scale-connections': [/^throughput-autocannon$/, /^latency$/],
  patch: [/^writers$/, /^single-writer$/],
  'cold-start': [/^cold-start$/],
  micro: [/^hash$/, /^decode-query$/, /^compile$/, /^evaluate$/, /^encode-record$/],
};

function checkComparison(t: Test, { id, contenders, metrics, base, rounds, histograms }: Comparison): void {
  const names = contenders.map(({ name }) => name);
  t.equal(rounds, 1, id);
  t.ok(names.length >= 2, `${id} compares ${names.join(', ')}`);
  t.ok(names.includes(base), `${id} has its base`);
  t.ok(metrics.length > 0, `${id} has metrics`);
  for (const { key, values } of metrics) {
    t.strictSame(Object.keys(values).sort(), [...names].sort(), `${id}: ${key} of every contender`);
    for (const [name, figures] of Object.entries(values))
      t.ok(figures.length === 1 && figures.every(Number.isFinite), `${id}: ${key} of ${name}: ${figures}`);
  }
  for (const [name, encoded] of Object.entries(histograms ?? {}))
    t.ok(readHistogram(encoded).count > 0, `${id}: latencies of ${name}`);
}

function checkReport(t: Test, { comparisons, targets }: ScenarioReport): void {
  for (const comparison of comparisons) checkComparison(t, comparison);
  const hasWrk = availableDrivers().includes('wrk');
  for (const { comparison, metric, what } of targets) {
    // Told as not measured: see report-text.test.ts.
    if (comparison.startsWith('throughput-wrk') && !hasWrk) continue;
    const found = comparisons.find(({ id }) => id === comparison);
    t.ok(
      found?.metrics.some(({ key }) => key === metric),
      `the target «${what}» is of something measured`,
    );
  }
}

const scenarios = catalogue.filter(({ name }) => name !== 'peers');

t.test('every scenario is known here', async (t) => {
  t.strictSame(scenarios.map(({ name }) => name).sort(), Object.keys(comparisonsOf).sort());
});

for (const { name } of scenarios) {
  t.test(`${name} runs, its report has its fields, and nothing is left behind`, async (t) => {
    const folder = temporaryDirectory(t);
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    const file = join(folder, 'run.json');
    const { end, stdout, stderr } = await runBench([name, '--quick', '--json', file], temporary);
    t.equal(end, 0, stderr);
    const [result, ...others] = readResults(file);
    t.equal(others.length, 0);
    if (result === undefined) throw new Error('there is no result');
    t.equal(result.report.scenario, name);
    t.equal(result.run.command, `npm run bench -- ${name} --quick`);
    const ids = result.report.comparisons.map(({ id }) => id);
    for (const wanted of comparisonsOf[name] ?? [])
      t.ok(
        ids.some((id) => wanted.test(id)),
        `${wanted} among ${ids}`,
      );
    checkReport(t, result.report);
    for (const id of ids) t.match(stdout, `${name} / ${id}: `, 'a table is printed');
    t.strictSame(readdirSync(temporary), [], 'no folder is left');
  });
}
