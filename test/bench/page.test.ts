import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import type { Comparison, ScenarioReport } from '../../bench/comparison.ts';
import { withMeasuredWays } from '../../bench/report/clients-section.ts';
import { makePage } from '../../bench/report/page.ts';
import { plotsOf } from '../../bench/report/plots.ts';
import { readSavedResults } from '../../bench/report/result-file.ts';
import { pageFiles, writePage } from '../../bench/report/write-page.ts';
import { buildDocs } from '../docs/docs-builder.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  sampleCatalogue,
  sampleComparison,
  sampleHistogram,
  sampleReport,
  sampleResult,
} from './sample-comparison.ts';

const comparison = sampleComparison([41_000, 42_000, 40_000], [50_000, 50_000, 50_000]);
const target = {
  what: 'throughput',
  comparison: 'throughput-wrk',
  metric: 'requestsPerSecond',
  contender: 'burgee',
  of: 'ratio',
  bound: { atLeast: 0.9 },
} as const;
const report: ScenarioReport = {
  ...sampleReport({ ...comparison, remarks: ['mind <this>, at http://192.0.2.1'] }),
  targets: [target],
  missing: [{ name: '@some/peer', why: 'not *there*' }],
};
const tried = '## What was tried\n\nA faster thing: it was slower.\n';
const result = sampleResult(report);
const { markdown, plots } = makePage([result], sampleCatalogue, tried);

t.test('docs/benchmarks.md and its pictures are generated from the results', async (t) => {
  const root = repositoryRoot();
  const files = pageFiles(root, readSavedResults(root), catalogue);
  for (const [path, text] of files) {
    const present = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : 'missing';
    t.equal(present, text, `${path}: write it with npm run bench -- --page`);
  }
  const folder = join(root, 'docs', 'benchmarks');
  const pictures = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of pictures)
    t.ok(files.has(join('docs', 'benchmarks', name)), `${name} belongs to a result`);
});

t.test('the page of clients ends with what was measured of each way', async (t) => {
  const results = readSavedResults(repositoryRoot());
  const page = withMeasuredWays('# Clients\n\nText.\n', results);
  t.match(page, '# Clients\n\nText.\n\n## How fast {#how-fast}\n');
  t.match(page, /\| Evaluation API, `curl` \| a request, p50 \| [\d,.]+ µs \| \[evaluate-flag\]/);
  t.equal(withMeasuredWays(page, results), page, 'the same results give the same page');
  t.equal(withMeasuredWays(page, []), '# Clients\n\nText.\n', 'without results it has no figures');
});

t.test(
  'the page begins with the targets, and has question, machine, command, figures and what is missing',
  async (t) => {
    t.match(
      markdown,
      '| [evaluate-flag](#evaluate-flag), throughput-wrk: throughput | at least 0.9 of bare | 0.820 | 4.9 % | **missed by 8.9 %** | `0123456789` |',
    );
    t.match(markdown, 'Why some are missed, and where the time goes: [what was tried](#what-was-tried).');
    t.match(markdown, '## evaluate-flag\n\nWhat evaluate-flag asks.');
    t.match(
      markdown,
      '2026-01-02, commit `0123456789`, Node 20.19.0, 2 × A processor, 8.0 GiB, Linux 6.1.0.',
    );
    t.match(markdown, '```bash\nnpm run bench -- evaluate-flag\n```');
    t.match(markdown, 'One flag. Driven by wrk 4.1.0; rounds 3, connections 64, flags 10,000.');
    t.match(markdown, '| burgee | 41,000 · **0.820** · 4.9 % |');
    t.match(markdown, '| bare | 50,000 · base · 0.0 % |');
    t.match(markdown, '- Not measured: **\\@some/peer**: not \\*there\\*.');
    t.match(markdown, '## Not measured yet\n\n- `patch`: what patch asks.');
    t.ok(markdown.endsWith(tried));
  },
);

t.test('names and remarks are escaped in Markdown', async (t) => {
  t.match(markdown, 'Burgee \\| itself');
  t.match(markdown, '> mind \\<this\\>, at http:\\//192.0.2.1');
});

t.test('the page says that a tree was modified', async (t) => {
  const modified = { ...result, run: { ...result.run, isModified: true } };
  const page = makePage([modified], sampleCatalogue, tried).markdown;
  t.match(page, '| `0123456789`, modified |');
  t.match(page, '(the tree held changes that the commit does not)');
});

t.test('scenarios stand in the order of the catalogue', async (t) => {
  const patch = sampleResult({ ...report, scenario: 'patch' });
  const page = makePage([patch, result], sampleCatalogue, tried).markdown;
  t.ok(page.indexOf('\n## evaluate-flag') < page.indexOf('\n## patch'));
  t.notMatch(page, 'Not measured yet');
});

t.test('the page and its pictures can be served as documentation', async (t) => {
  const root = temporaryDirectory(t);
  const folder = join(root, 'docs');
  mkdirSync(join(root, 'bench', 'report'), { recursive: true });
  mkdirSync(join(folder, 'benchmarks'), { recursive: true });
  writeFileSync(join(root, 'bench', 'report', 'what-was-tried.md'), tried);
  writeFileSync(join(folder, 'benchmarks', 'old.svg'), '<svg/>');
  writePage(root, [result], sampleCatalogue);
  t.strictSame(readdirSync(join(folder, 'benchmarks')), ['evaluate-flag-throughput-wrk.svg']);
  const target = join(root, 'built');
  t.same(buildDocs(folder, target), { status: 0, complaints: '' });
  const html = readFileSync(join(target, 'benchmarks.html'), 'utf8');
  t.match(html, 'src="benchmarks/evaluate-flag-throughput-wrk.svg"');
  t.match(html, 'mind &lt;this&gt;');
  t.notMatch(html, 'href="http');
});

const axis: Comparison = {
  ...comparison,
  base: '0 changes a second',
  contenders: [0, 10, 1000].map((x) => ({ name: `${x} changes a second`, what: 'x', x })),
  metrics: comparison.metrics.map((metric) => ({
    ...metric,
    values: {
      '0 changes a second': [100, 100, 100],
      '10 changes a second': [95, 96, 97],
      '1000 changes a second': [80, 85, 90],
    },
  })),
};

t.test('bars show each ratio with a whisker, and a line at 1', async (t) => {
  const [bars] = plotsOf('evaluate-flag', comparison);
  t.equal(bars?.svg.match(/<rect /g)?.length, 2);
  t.equal(bars?.svg.match(/class="whisker"/g)?.length, 3, 'the base has none');
  t.equal(bars?.svg.match(/class="one"/g)?.length, 1);
  t.match(bars?.svg, '>0.820</text>');
  t.match(bars?.svg, 'prefers-color-scheme: dark');
});

t.test('large ratios are drawn on a logarithmic axis', async (t) => {
  const [bars] = plotsOf('peers', sampleComparison([5000, 6000], [10, 10]));
  t.match(bars?.svg, 'more is better, logarithmic');
  t.match(bars?.svg, '>1000</text>');
});

t.test('a logarithmic axis ends near its values', async (t) => {
  const [bars] = plotsOf('cold-start', sampleComparison([120, 121], [10, 10]));
  t.match(bars?.svg, '>20</text>');
  t.notMatch(bars?.svg, '>50</text>');
});

t.test('a picture has a title, and no name in it is cut off', async (t) => {
  const long = '64 writers, one transaction per change';
  const [bars] = plotsOf('patch', {
    ...comparison,
    contenders: [
      { name: 'burgee', what: 'x' },
      { name: long, what: 'y' },
    ],
    base: long,
    metrics: comparison.metrics.map((metric) => ({ ...metric, values: { burgee: [1, 2], [long]: [2, 2] } })),
  });
  t.match(bars?.svg, `>patch, throughput-wrk: ratios to ${long}</text>`);
  t.match(bars?.svg, `>${long}</text>`);
  const [lines] = plotsOf('evaluate-while-patching', axis);
  t.match(lines?.svg, '>evaluate-while-patching, throughput-wrk: ratios to 0 changes a second</text>');
});

t.test('contenders along an axis make lines', async (t) => {
  const [lines] = plotsOf('evaluate-while-patching', axis);
  const points = /<polyline [^>]*points="([^"]*)"/.exec(lines?.svg ?? '')?.[1]?.split(' ') ?? [];
  t.equal(points.length, 3);
  const places = points.map((point) => Number(point.split(',')[0]));
  const [zero = 0, ten = 0, thousand = 0] = places;
  t.ok(Math.abs((ten - zero) * 2 - (thousand - ten)) < 1, `0 lies a decade before 10: ${places}`);
  t.match(lines?.svg, '>changes a second</text>');
});

t.test('histograms make percentile curves, in place of bars of latencies', async (t) => {
  const latencies = Array.from({ length: 2000 }, (_unused, index) => 100 + index);
  const values = { burgee: [2, 2], bare: [1, 1] };
  const plots = plotsOf('evaluate-flag', {
    ...sampleComparison([2, 2], [1, 1]),
    id: 'latency',
    metrics: [{ key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0, values }],
    histograms: { burgee: sampleHistogram(latencies), bare: sampleHistogram(latencies) },
  });
  t.strictSame(
    plots.map(({ file }) => file),
    ['evaluate-flag-latency-percentiles.svg'],
  );
  const [curves] = plots;
  t.equal(curves?.svg.match(/<polyline /g)?.length, 2);
  t.match(curves?.svg, '>evaluate-flag, latency: latency by percentile, all rounds</text>');
  t.match(curves?.svg, '>p99</text>');
  t.notMatch(curves?.svg, '>p99.9</text>', 'of 2,000 requests, only two lie beyond p99.9');
});

t.test('every coordinate of a plot is a number', async (t) => {
  const odd = plotsOf('evaluate-flag', sampleComparison([5, 5], [5, 5]));
  const zero = plotsOf('evaluate-flag', sampleComparison([0, 5], [5, 5]));
  t.strictSame(zero, [], 'a ratio of 0 is not drawn');
  for (const { svg, file } of [...odd, ...plots, ...plotsOf('x', axis)])
    t.notMatch(svg, /NaN|Infinity/, file);
});
