import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { problemTable } from '../../src/contracts/problem-table.ts';
import { loadDocsPages } from '../../src/worker/pages/docs-pages.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildDocs, readFiles } from './docs-builder.ts';

const root = repositoryRoot();
const target = join(temporaryDirectory(t), 'docs');
const built = buildDocs(join(root, 'docs'), target);
t.same(built, { status: 0, complaints: '' }, 'the documentation builds');

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const files = readFiles(target);
const pages = [...files].filter(([path]) => path.endsWith('.html'));
const startPage = files.get('index.html') ?? '';
const errorsPage = files.get('errors.html') ?? '';
const apiSource = readFileSync(join(root, 'docs/api.md'), 'utf8');
const errorsSource = readFileSync(join(root, 'docs/errors.md'), 'utf8');
/** The console's own problems share one section. */
const problems = Object.values(problemTable).filter(({ section }) => section !== 'console');
const sections = problems.map(({ section }) => section);

/** The page's sections: one for each problem, and one for those of the console. */
function errorSections(): string[] {
  return [...errorsPage.matchAll(/<h2 id="([\w-]+)"/g)].map(([, id]) => String(id));
}

t.test('the page that error bodies link to has one section for each problem, and no other', async (t) => {
  t.same(errorSections().sort(), [...sections, 'console'].sort());
});

t.test('`docs` links of errors lead to a list on the first page, which leads to the sections', async (t) => {
  for (const { status, title, section } of problems)
    t.match(startPage, `<li id="${section}"><a href="docs/errors#${section}">${status} ${title}</a></li>`);
  t.match(startPage, '<li id="console"><a href="docs/errors#console">Errors of the console</a></li>');
  t.match(errorsPage, '<h2 id="console">');
});

t.test(
  'each page is in the menu, which marks it, and leads to the one before and the one after',
  async (t) => {
    for (const [path, page] of pages) {
      const menu = /<nav class="side menu"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '';
      t.equal(menu.split('<li>').length, pages.length, `${path}: every page but the first`);
      t.equal(menu.split('aria-current="page"').length, path === 'index.html' ? 1 : 2, path);
      t.match(page, `<footer>Burgee ${version}</footer>`);
    }
    const [, menu = ''] = /<nav class="side menu"([\s\S]*?)<\/nav>/.exec(errorsPage) ?? [];
    const links = [...menu.matchAll(/<a href="([^"]*)"( aria-current)?/g)];
    const at = links.findIndex(([, , current]) => current !== undefined);
    t.match(errorsPage, `<a class="prev" href="${links[at - 1]?.[1]}"`);
    t.match(errorsPage, `<a class="next" href="${links[at + 1]?.[1]}"`);
    t.match(
      errorsPage,
      '<li class="depth-2"><a href="#plan-required">Plan required</a></li>',
      'on this page',
    );
  },
);

t.test('the search index has an entry for each heading, and no block of code', async (t) => {
  const [, json = ''] = /^export default ([\s\S]*);\n$/.exec(files.get('search-index.js') ?? '') ?? [];
  const entries = JSON.parse(json) as { path: string; where: string; title: string; text: string }[];
  const headings = pages.flatMap(([, page]) => page.match(/<h[1-4] id=/g) ?? []);
  t.equal(entries.length, headings.length);
  const found = entries.find(({ path }) => path === 'docs/errors#plan-required');
  t.match(found, { where: 'Reference › Errors', title: 'Plan required', text: /^402\. / });
  t.notMatch(found?.text, /"error"|<|&\w+;/);
  t.match(
    entries.find(({ path }) => path === 'docs/api'),
    { where: 'Reference', title: 'Burgee API' },
  );
  t.ok(Buffer.byteLength(files.get('docs.js') ?? '') < 25_000);
});

t.test('every section has the title of its problem, its status and an example of its detail', async (t) => {
  for (const { status, title, section } of problems) {
    const [, text = ''] = errorsSource.split(new RegExp(`^## <a id="${section}"></a>`, 'm'));
    t.ok(text.startsWith(title), section);
    t.match(text.split('\n## ')[0], `**${status}`, section);
    // The answer of this one may be plain text.
    t.match(text.split('\n## ')[0], section === 'too-many-requests' ? '```text\n' : '\n> `', section);
  }
});

t.test('pages have scripts of ours only, no inline style and nothing from another origin', async (t) => {
  t.ok(pages.length > 15);
  for (const [path, page] of pages) {
    const scripts = [...page.matchAll(/<script src="(?:[./]|docs\/)*(\w+\.js)" type="module"><\/script>\n/g)];
    const names = path === 'openapi.html' ? ['docs.js', 'openapi.js'] : ['docs.js'];
    t.same(
      scripts.map(([, name]) => name),
      names,
      path,
    );
    const html = scripts.reduce((rest, [script]) => rest.replace(script, ''), page);
    t.notMatch(html, /<script|<style|\sstyle=|\son\w+=|javascript:/i, path);
    const loaded = [
      ...html.matchAll(/<(?:img|link|iframe|source|embed|object)\b[^>]*(?:src|href)="([^"]*)"/g),
    ];
    const foreign = loaded
      .map(([, address]) => String(address))
      .filter((address) => /^(\w+:)?\/\//.test(address));
    t.same(foreign, [], path);
  }
  t.notMatch(files.get('docs.css'), /url\(|@import/);
});

t.test('every link of every page leads to a served file', async (t) => {
  const served = loadDocsPages(target);
  const idsOf = new Map<string, ReadonlySet<string>>();
  for (const path of served.keys()) {
    const html = Buffer.from(served.get(path)?.body ?? []).toString('utf8');
    idsOf.set(path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => String(id))));
  }
  let count = 0;
  const broken: string[] = [];
  for (const path of served.keys()) {
    if (!String(served.get(path)?.contentType).startsWith('text/html')) continue;
    const html = Buffer.from(served.get(path)?.body ?? []).toString('utf8');
    for (const [, href] of html.matchAll(/<(?:a|link|img)\b[^>]*?(?:href|src)="([^"]*)"/g)) {
      const url = new URL(String(href).replaceAll('&amp;', '&'), `http://burgee.test${path}`);
      count += 1;
      const ids = idsOf.get(url.pathname);
      const isServed = url.origin === 'http://burgee.test' && ids !== undefined;
      if (!isServed || (url.hash !== '' && !ids.has(url.hash.slice(1)))) broken.push(`${path}: ${href}`);
    }
  }
  t.same(broken, []);
  t.ok(count > 500, `${count} links`);
});

t.test('the pages are loaded under the paths at which they are served', async (t) => {
  const served = loadDocsPages(target);
  const contentTypes = {
    '/docs': 'text/html; charset=utf-8',
    '/docs/api': 'text/html; charset=utf-8',
    '/docs/operations': 'text/html; charset=utf-8',
    '/docs/monitoring': 'text/html; charset=utf-8',
    '/docs/docs.css': 'text/css; charset=utf-8',
    '/docs/docs.js': 'text/javascript; charset=utf-8',
    '/docs/search-index.js': 'text/javascript; charset=utf-8',
    '/docs/openapi': 'text/html; charset=utf-8',
    '/docs/openapi.css': 'text/css; charset=utf-8',
    '/docs/openapi.js': 'text/javascript; charset=utf-8',
    '/docs/openapi.json': 'application/json',
    '/docs/bucketing-vectors.json': 'application/json',
    '/docs/burgee.svg': 'image/svg+xml',
    '/docs/screenshots/flag-light-1440.png': 'image/png',
  };
  for (const [path, contentType] of Object.entries(contentTypes)) {
    const page = served.get(path);
    t.equal(page?.contentType, contentType, path);
    t.match(page?.etag, /^"[\w-]{27}"$/);
  }
  t.equal(served.get('/docs/../package.json'), undefined);
  t.equal(served.get('/docs/index.html'), undefined);
  for (const ofRepository of ['contributing/architecture', 'contributing/architecture.svg', 'decisions'])
    t.equal(served.get(`/docs/${ofRepository}`), undefined, ofRepository);
  t.not(served.get('/docs')?.etag, served.get('/docs/operations')?.etag);
});

t.test(
  'the page of the OpenAPI document has a form for each endpoint, and its script is small',
  async (t) => {
    const page = files.get('openapi.html') ?? '';
    const { paths } = JSON.parse(files.get('openapi.json') ?? '') as {
      paths: Record<string, Record<string, { operationId: string; parameters: { name: string }[] }>>;
    };
    let count = 0;
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { operationId, parameters }] of Object.entries(methods)) {
        count += 1;
        t.match(page, `data-method="${method.toUpperCase()}" data-path="${path}"`);
        t.match(page, `<h3 id="${operationId}">`);
        for (const { name } of parameters) t.match(page, `id="${operationId}-${name}" data-name="${name}"`);
      }
    t.ok(count > 7);
    t.ok(Buffer.byteLength(files.get('openapi.js') ?? '') < 6000);
  },
);

t.test('a directory that is missing is an error', async (t) => {
  t.throws(() => loadDocsPages(join(target, 'nowhere')), { code: 'ENOENT' });
});

t.test('the bucketing code of the page computes the published vectors', async (t) => {
  const code = /```js\n([\s\S]*?)```/.exec(apiSource)?.[1] ?? '';
  const bucket = new Function(`${code}; return bucket;`)() as (flagId: string, key: string) => number;
  const { vectors } = JSON.parse(files.get('bucketing-vectors.json') ?? '') as {
    vectors: { flagId: string; key: string; bucket100: number }[];
  };
  t.ok(vectors.length > 10);
  for (const { flagId, key, bucket100 } of vectors) t.equal(bucket(flagId, key), bucket100, key);
  t.match(apiSource, `is ${bucket('k3VvX0aPq7Lw2ZtR9bNd', 'user-42')}: on at`);
});
