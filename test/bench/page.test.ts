import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import { withMeasuredWays } from '../../bench/report/clients-section.ts';
import { makePages } from '../../bench/report/page.ts';
import { readSavedResults } from '../../bench/report/result-file.ts';
import { pageFiles } from '../../bench/report/write-page.ts';
import { repositoryRoot } from '../support/repository-root.ts';

t.test('docs/benchmarks.md and the sections of results are generated', async (t) => {
  const root = repositoryRoot();
  for (const [path, text] of pageFiles(root, readSavedResults(root), catalogue)) {
    const present = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : 'missing';
    t.equal(present, text, `${path}: write it with npm run bench -- --page`);
  }
});

t.test('every answer of the page has its figures', async (t) => {
  const page = makePages(readSavedResults(repositoryRoot()), catalogue).get('benchmarks.md') ?? '';
  const [, section = ''] = /## Answers\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.endsWith(') |'));
  t.equal(rows.length, 20);
  for (const row of rows)
    t.match(row, /^\| [A-Z].*\? \| [\d,.]+ .* \| \[`npm run bench -- ([\w-]+)`\]\(benchmarks\/\1\.md\) \|$/);
});

t.test('the page of clients ends with what was measured of each way', async (t) => {
  const results = readSavedResults(repositoryRoot());
  const page = withMeasuredWays('# Clients\n\nText.\n', results);
  t.match(page, '# Clients\n\nText.\n\n## <a id="how-fast"></a>How fast\n');
  t.match(page, /\| Evaluation API, `curl` \| a request, p50 \| [\d,.]+ µs \| \[evaluate-flag\]/);
  t.equal(withMeasuredWays(page, results), page, 'the same results give the same page');
  t.equal(withMeasuredWays(page, []), '# Clients\n\nText.\n', 'without results it has no figures');
});
