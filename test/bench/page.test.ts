import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import type { ScenarioReport } from '../../bench/comparison.ts';
import { withMeasuredWays } from '../../bench/report/clients-section.ts';
import { makePage } from '../../bench/report/page.ts';
import { readSavedResults } from '../../bench/report/result-file.ts';
import { pageFiles, writePage } from '../../bench/report/write-page.ts';
import { buildDocs } from '../docs/docs-builder.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { sampleCatalogue, sampleComparison, sampleReport, sampleResult } from './sample-comparison.ts';

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
const result = sampleResult(report);
const markdown = makePage([result], sampleCatalogue);

t.test('docs/benchmarks.md and the sections of results are generated', async (t) => {
  const root = repositoryRoot();
  for (const [path, text] of pageFiles(root, readSavedResults(root), catalogue)) {
    const present = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : 'missing';
    t.equal(present, text, `${path}: write it with npm run bench -- --page`);
  }
});

t.test('every answer of the page has its figures', async (t) => {
  const page = makePage(readSavedResults(repositoryRoot()), catalogue);
  const [, section = ''] = /## Answers\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.endsWith(') |'));
  t.equal(rows.length, 20);
  for (const row of rows)
    t.match(row, /^\| [A-Z].*\? \| [\d,.]+ .* \| \[`npm run bench -- ([\w-]+)`\]\(#\1\) \|$/);
});

t.test('the page of clients ends with what was measured of each way', async (t) => {
  const results = readSavedResults(repositoryRoot());
  const page = withMeasuredWays('# Clients\n\nText.\n', results);
  t.match(page, '# Clients\n\nText.\n\n## How fast {#how-fast}\n');
  t.match(page, /\| Evaluation API, `curl` \| a request, p50 \| [\d,.]+ µs \| \[evaluate-flag\]/);
  t.equal(withMeasuredWays(page, results), page, 'the same results give the same page');
  t.equal(withMeasuredWays(page, []), '# Clients\n\nText.\n', 'without results it has no figures');
});

t.test('the page begins with answers and missed targets, and has all that a scenario measured', async (t) => {
  t.match(
    markdown,
    '| How many evaluations of one flag does one worker answer? | 41,000 a second, 0.820 of a constant answer | [`npm run bench -- evaluate-flag`](#evaluate-flag) |',
  );
  t.match(markdown, '0 of 1 targets are reached.');
  t.match(
    markdown,
    '| [evaluate-flag](#evaluate-flag), throughput-wrk: throughput | at least 0.9 of bare | 0.820 | missed by 8.9 % |',
  );
  t.match(markdown, '## evaluate-flag\n\nWhat evaluate-flag asks.');
  t.match(markdown, '2026-01-02, commit `0123456789`, Node 20.19.0, 2 × A processor, 8.0 GiB, Linux 6.1.0.');
  t.match(markdown, '```bash\nnpm run bench -- evaluate-flag\n```');
  t.match(markdown, 'Driven by wrk 4.1.0, rounds 3, connections 64, flags 10,000.');
  t.match(markdown, '| burgee | 41,000 (**0.820**, 4.9%) |');
  t.match(markdown, '| bare | 50,000 (0.0%) |');
  t.match(markdown, '- Not measured: **\\@some/peer**: not \\*there\\*.');
  t.match(markdown, '## Not measured yet\n\n- `patch`: what patch asks.');
});

t.test('what comparisons of a scenario have alike is said once', async (t) => {
  const second = { ...comparison, id: 'latency', settings: { connections: 1, flags: 10_000 } };
  const page = makePage([sampleResult({ ...report, comparisons: [comparison, second] })], sampleCatalogue);
  t.equal(page.split('- **burgee**: Burgee').length, 2);
  t.match(page, 'Driven by wrk 4.1.0, rounds 3, flags 10,000.');
  t.match(page, '### evaluate-flag: latency\n\nOne flag. Connections 1. Ratios to bare:');
});

t.test('names and remarks are escaped in Markdown', async (t) => {
  t.match(markdown, 'Burgee \\| itself');
  t.match(markdown, '> mind \\<this\\>, at http:\\//192.0.2.1');
});

t.test('the page says that a tree was modified', async (t) => {
  const modified = { ...result, run: { ...result.run, isModified: true } };
  const page = makePage([modified], sampleCatalogue);
  t.match(page, '(the tree held changes that the commit does not)');
});

t.test('scenarios stand in the order of the catalogue', async (t) => {
  const patch = sampleResult({ ...report, scenario: 'patch' });
  const page = makePage([patch, result], sampleCatalogue);
  t.ok(page.indexOf('\n## evaluate-flag') < page.indexOf('\n## patch'));
  t.notMatch(page, 'Not measured yet');
});

t.test('the page can be served as documentation', async (t) => {
  const root = temporaryDirectory(t);
  const folder = join(root, 'docs');
  mkdirSync(join(folder, 'decisions'), { recursive: true });
  writeFileSync(join(folder, 'decisions', '0080-what-was-tried-for-speed.md'), '# 0080 What was tried\n');
  writePage(root, [result], sampleCatalogue);
  const target = join(root, 'built');
  t.same(buildDocs(folder, target), { status: 0, complaints: '' });
  const html = readFileSync(join(target, 'benchmarks.html'), 'utf8');
  t.match(html, 'mind &lt;this&gt;');
  t.notMatch(html, 'href="http');
});
