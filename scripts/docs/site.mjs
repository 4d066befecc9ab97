import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { referencePage } from './api-reference.mjs';
import { pageHtml, redirectHtml } from './layout.mjs';
import { renderMarkdown } from './render-markdown.mjs';

/** The page that `/docs` shows; error bodies link to its sections. */
const startPage = 'api.md';

/** The sidebar's order; other pages follow by name. */
const pageOrder = [
  'api.md',
  referencePage,
  'clients.md',
  'clients-flagd.md',
  'unleash.md',
  'flags-from-a-file.md',
  'install.md',
  'production.md',
  'operations.md',
  'sign-in.md',
  'behind-a-proxy.md',
  'cluster.md',
  'troubleshooting.md',
  'console.md',
  'audit-log.md',
  'configuration.md',
  'limits.md',
  'guarantees.md',
  'benchmarks.md',
  'monitoring/README.md',
  'supply-chain.md',
];

/** @returns where a source file is served, below the folder that holds `docs`: `api.md` → `docs`. */
function servedPath(source) {
  if (source === startPage) return 'docs';
  if (source.endsWith('/README.md')) return `docs/${posix.dirname(source)}`;
  return `docs/${source.replace(/\.md$/, '')}`;
}

/** @returns the file of the build that holds a served path. */
function builtFile(source) {
  if (source === startPage) return 'index.html';
  return source.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
}

/** A relative link, which works at any path that the site is served under. */
function relativeLink(from, to) {
  return posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to));
}

function sourceFiles(directory) {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((file) => relative(directory, join(file.parentPath, file.name)));
  return paths.map((path) => path.split(sep).join('/')).sort();
}

function byPageOrder(one, other) {
  const places = [one, other].map((source) => pageOrder.indexOf(source) + 1 || pageOrder.length + 1);
  return places[0] - places[1] || (one < other ? -1 : 1);
}

/** @returns the file of the build that a link's target stands for: a page, a picture or an extra. */
function servedTarget(target, extras) {
  if (target.endsWith('.md')) return servedPath(target);
  return `docs/${extras.get(target)?.path ?? target}`;
}

/** Resolves the links of one page, and records their targets, which are checked when every page's ids are known. */
function linkResolver(source, known, extras, promises) {
  return (href) => {
    if (/^https?:\/\//.test(href)) return href;
    const [path, id = ''] = href.split('#');
    const target = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), path));
    promises.push({ source, href, target, id });
    if (path === '' || !known.has(target)) return href;
    const link = relativeLink(servedPath(source), servedTarget(target, extras));
    return id === '' ? link : `${link}#${id}`;
  };
}

function brokenLinks(promises, pages, known) {
  const broken = promises.filter(({ target, id }) => {
    if (!known.has(target)) return true;
    return id !== '' && pages.get(target)?.headings.some((heading) => heading.id === id) !== true;
  });
  return broken.map(({ source, href }) => `${source}: the link ${href} leads nowhere.`);
}

/** The sidebar: every page. On a decision's page, the other decisions too. */
function navigation(source, pages) {
  const items = [...pages.keys()].sort(byPageOrder).map((path) => ({
    title: pages.get(path).title,
    href: relativeLink(servedPath(source), servedPath(path)),
    isCurrent: path === source,
    isNested: path.includes('/') && !path.endsWith('README.md'),
    folder: posix.dirname(path),
  }));
  return items.filter((item) => !item.isNested || item.folder === posix.dirname(source));
}

/** The endpoints come after the page's introduction, before its first section. */
function insertReference(page, { html, headings }) {
  const at = page.html.indexOf('<h2 ');
  page.html = `${page.html.slice(0, at)}${html}${page.html.slice(at)}`;
  page.headings.splice(1, 0, ...headings);
}

/** The API's page has a style sheet and a script of its own. */
const ownOfReference = { style: 'openapi.css', script: 'openapi.js' };

/**
 * @param directory of Markdown and pictures.
 * @param extras other files to serve: `{path, body}` by the link that leads to them.
 * @param reference what the API's page shows in addition to its Markdown: `{html, headings, script}`; null: the site has none.
 * @returns every file of the site by path, and the site's problems.
 */
export function buildSite(directory, extras, reference) {
  const sources = sourceFiles(directory);
  const known = new Set([...sources, ...extras.keys()]);
  const promises = [];
  const pages = new Map();
  for (const source of sources.filter((each) => each.endsWith('.md'))) {
    const markdown = readFileSync(join(directory, source), 'utf8');
    pages.set(source, renderMarkdown(markdown, linkResolver(source, known, extras, promises)));
  }
  if (reference !== null) insertReference(pages.get(referencePage), reference);
  const files = new Map([['docs.css', readFileSync(join(import.meta.dirname, 'docs.css'))]]);
  files.set('burgee.svg', readFileSync(join(import.meta.dirname, 'burgee.svg')));
  if (pages.has(startPage)) files.set('api.html', redirectHtml('../docs'));
  const shown = new Set(promises.map(({ target }) => target));
  // Screenshots that no page shows are left out: they are for readers of the repository.
  const isServed = (source) => !source.endsWith('.md') && (!source.endsWith('.png') || shown.has(source));
  for (const source of sources.filter(isServed)) {
    files.set(source, readFileSync(join(directory, source)));
  }
  for (const { path, body } of extras.values()) files.set(path, body);
  if (reference !== null) {
    files.set(ownOfReference.style, readFileSync(join(import.meta.dirname, ownOfReference.style)));
    files.set(ownOfReference.script, reference.script);
  }
  for (const [source, page] of pages) {
    const asset = (name) => relativeLink(servedPath(source), `docs/${name}`);
    const own = reference !== null && source === referencePage ? ownOfReference : {};
    files.set(builtFile(source), pageHtml(page, navigation(source, pages), asset, own));
  }
  const ownProblems = [...pages].flatMap(([source, page]) =>
    page.problems.map((each) => `${source}: ${each}`),
  );
  return { files, problems: [...ownProblems, ...brokenLinks(promises, pages, known)] };
}
