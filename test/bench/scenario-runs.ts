import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Comparison, ResultFile, ScenarioReport } from '../../bench/comparison.ts';
import { availableDrivers } from '../../bench/load/closed-loop.ts';
import { readHistogram } from '../../bench/load/latency-histogram.ts';
import { readResults } from '../../bench/report/result-file.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runBench } from './bench-command.ts';

/** The comparisons with an older build. */
const comparisonsBefore: Readonly<Record<string, readonly RegExp[]>> = {
  'evaluate-flag': [/^throughput-\w+-before$/, /^latency-before$/],
  patch: [/^writers-1-before$/, /^writers-64-before$/],
};

/** The comparisons that each scenario must have. */
const comparisonsOf: Readonly<Record<string, readonly RegExp[]>> = {
  'evaluate-flag': [/^throughput-\w+$/, /^latency$/, /^throughput-\w+-counting$/],
  'evaluate-mixed': [/^throughput-\w+$/, /^latency$/],
  'evaluate-project': [/^throughput-\w+-10$/, /^throughput-\w+-100$/],
  ofrep: [/^throughput-\w+$/, /^latency$/, /^throughput-\w+-list$/, /^latency-list$/],
  'evaluate-while-patching': [/^throughput-\w+$/, /^latency$/, /^freshness$/],
  'scale-flags': [/^throughput-\w+$/, /^latency$/, /^start-up$/],
  connections: [/^throughput-\w+-1$/, /^latency-1$/, /^throughput-\w+-8$/, /^latency-8$/],
  wide: [/^throughput-\w+$/, /^latency$/],
  cores: [/^throughput-\w+-1$/, /^paced$/, /^paced-bare$/],
  patch: [/^writers$/, /^single-writer$/],
  'flagd-streams': [/^memory$/],
  'sync-streams': [/^reach$/, /^throughput-\w+$/],
  client: [/^change-visible$/],
  cluster: [
    /^throughput-\w+$/,
    /^writers$/,
    /^single-writer$/,
    /^visible$/,
    /^killed$/,
    /^writers-away$/,
    /^new-node$/,
  ],
  hostile: [/^tiny-chunks$/, /^cold-flags$/, /^small-changes$/],
  'cold-start': [/^cold-start$/],
  console: [/^list$/],
  micro: [/^hash$/, /^decode-query$/, /^compile$/, /^evaluate$/, /^encode-record$/],
};

export interface Run {
  readonly scenarios: readonly string[];
  readonly options: readonly string[];
  /** The built checkout to compare with. */
  readonly before?: string;
  /** Whether another run has its scenarios too. */
  readonly isAgain?: boolean;
}

// Without it the scenarios run with autocannon.
debianPrograms('wrk');
const [fastestDriver = 'autocannon'] = availableDrivers();
/**
 * Each runs in a command of its own, whose scenarios follow one another, because each start of the command takes time.
 * Those of the full tier have a part each that the others lack.
 */
export const runsInCi: readonly Run[] = [
  {
    scenarios: ['evaluate-flag', 'patch', 'sync-streams', 'cold-start'],
    options: ['--quick', '--driver', fastestDriver],
  },
];

/** The others, before a release. The scenario that loops over the drivers itself uses all of them. */
export const otherRuns: readonly Run[] = [
  {
    scenarios: [
      ...['connections', 'wide', 'cores', 'evaluate-mixed', 'evaluate-project', 'ofrep'],
      ...['evaluate-while-patching', 'scale-flags', 'client', 'micro'],
      ...['cluster', 'flagd-streams', 'hostile', 'console'],
    ],
    options: ['--quick', '--driver', fastestDriver],
  },
  { scenarios: ['evaluate-flag'], options: ['--quick', '--connections', '1'], isAgain: true },
  {
    scenarios: ['evaluate-flag', 'patch'],
    options: ['--quick', '--driver', fastestDriver],
    before: repositoryRoot(),
    isAgain: true,
  },
];

/** The scenarios that are known here. */
export const knownScenarios = (): readonly string[] => Object.keys(comparisonsOf).sort();

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
    // Reported as not measured: see report-text.test.ts.
    if (comparison.startsWith('throughput-wrk') && !hasWrk) continue;
    const found = comparisons.find(({ id }) => id === comparison);
    t.ok(
      found?.metrics.some(({ key }) => key === metric),
      `the target «${what}» is of something measured`,
    );
  }
}

function checkResult(t: Test, name: string, { report, run }: ResultFile, { options, before }: Run): void {
  t.equal(report.scenario, name);
  const repeated = before === undefined ? options : [...options, '--before PATH'];
  t.equal(run.command, `npm run bench -- ${name} ${repeated.join(' ')}`);
  const ids = report.comparisons.map(({ id }) => id);
  for (const wanted of (before === undefined ? comparisonsOf : comparisonsBefore)[name] ?? [])
    t.ok(
      ids.some((id) => wanted.test(id)),
      `${wanted} among ${ids}`,
    );
  checkReport(t, report);
}

/** Runs each in a command of its own. */
export function testRuns(runs: readonly Run[]): void {
  // Each scenario boots services, which takes minutes beside other files on a slow machine.
  t.setTimeout(850_000);
  for (const run of runs) testRun(run);
}

function testRun(run: Run): void {
  const { scenarios, options, before } = run;
  const place = before === undefined ? [] : ['--before', before];
  const beside = before === undefined ? '' : ', beside an older build';
  t.test(
    `${scenarios.join(', ')}${beside}: each runs, reports its fields, and leaves nothing behind`,
    async (t) => {
      const folder = temporaryDirectory(t);
      // PostgreSQL runs as a user of its own, who passes through.
      chmodSync(folder, 0o711);
      const temporary = join(folder, 'tmp');
      mkdirSync(temporary);
      const file = join(folder, 'run.json');
      const { end, stdout, stderr } = await runBench(
        [...scenarios, ...options, ...place, '--json', file],
        temporary,
      );
      if (end !== 0) {
        // The causes come first, because a report that is cut shows its beginning.
        const causes = stderr.split('\n').filter((line) => line.startsWith('FAILED '));
        t.fail(`the command ended with ${end}: ${causes.join(', ')}`, { stderr: stderr.slice(-4000) });
        return;
      }
      const results = readResults(file);
      t.strictSame(
        results.map(({ report }) => report.scenario),
        scenarios,
      );
      for (const [index, result] of results.entries()) {
        checkResult(t, scenarios[index] ?? '', result, run);
        for (const { id } of result.report.comparisons)
          t.match(stdout, `${result.report.scenario} / ${id}: `, 'a table is printed');
      }
      t.strictSame(readdirSync(temporary), [], 'no folder is left');
    },
  );
}
