import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { referencePage } from './api-reference.mjs';
import { pageHtml, startPage } from './layout.mjs';
import { renderMarkdown } from './render-markdown.mjs';
import { searchEntries } from './search-index.mjs';

/** The page with a section for each error. `docs` links of errors lead to `/docs`, and from there to these. */
const errorsPage = 'errors.md';

/** The menu: every page that is served, by group. A group without pages is not shown. */
export const groups = [
  {
    title: 'Start',
    about: 'Run Burgee and ask for a first flag, in five minutes.',
    pages: ['start.md'],
  },
  {
    title: 'Use in your app',
    about: 'Evaluate flags from servers, browsers and phones.',
    pages: [
      'clients.md',
      'node.md',
      'browser.md',
      'python.md',
      'go.md',
      'java.md',
      'other-languages.md',
      'clients-flagd.md',
    ],
  },
  {
    title: 'Automate',
    about: 'Change flags from pipelines and scripts.',
    pages: ['pipelines.md', 'flags-from-a-file.md'],
  },
  {
    title: 'Operate',
    about: 'Install, secure, back up, observe and upgrade the service.',
    pages: [
      'install.md',
      'production.md',
      'operations.md',
      'sign-in.md',
      'behind-a-proxy.md',
      'cluster.md',
      'upgrade.md',
      'monitoring/README.md',
      'troubleshooting.md',
      'supply-chain.md',
    ],
  },
  {
    title: 'Console',
    about: 'Flags, members, tokens and history in the browser.',
    pages: ['console.md', 'audit-log.md'],
  },
  {
    title: 'Reference',
    about: 'Endpoints, errors, settings, limits and guarantees.',
    pages: [
      'api.md',
      'errors.md',
      referencePage,
      'configuration.md',
      'limits.md',
      'guarantees.md',
      'benchmarks.md',
    ],
  },
  {
    title: 'Coming from Unleash',
    about: 'How the concepts correspond, and how to move.',
    pages: ['unleash.md'],
  },
];

/**
 * Folders of pages for readers of the repository, which are not served. A link to one of them, or to a file
 * outside docs, is text on the pages that are served.
 */
const ofRepository = ['benchmarks/', 'contributing/', 'decisions/'];

/** Where the site begins. Its page is made of the menu. */
const start = 'docs';

/** @returns where a source file is served, below the folder that holds `docs`: `monitoring/README.md` → `docs/monitoring`. */
function servedPath(source) {
  return `${start}/${source.replace(/(\/README)?\.md$/, '')}`;
}

/** @returns the file of the build that holds a page. */
function builtFile(source) {
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

/** @returns the file of the build that a link's target stands for: a page, a picture or an extra. */
function servedTarget(target, extras) {
  if (target.endsWith('.md')) return servedPath(target);
  return `${start}/${extras.get(target)?.path ?? target}`;
}

/** Resolves the links of one page, and records their targets, which are checked when every page's ids are known. */
function linkResolver(source, isServed, extras, promises) {
  return (href) => {
    if (/^https?:\/\//.test(href)) return href;
    const [path, id = ''] = href.split('#');
    const target = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), path));
    promises.push({ source, href, target, id });
    if (path === '') return href;
    if (!isServed(target)) return null;
    const link = relativeLink(servedPath(source), servedTarget(target, extras));
    return id === '' ? link : `${link}#${id}`;
  };
}

function brokenLinks(promises, pages, directory) {
  const broken = promises.filter(({ target, id }) => {
    if (!existsSync(join(directory, target))) return true;
    return id !== '' && pages.get(target)?.headings.some((heading) => heading.id === id) !== true;
  });
  return broken.map(({ source, href }) => `${source}: the link ${href} leads nowhere.`);
}

/** A page is in the menu or of the repository, and each entry of both lists is there. */
function misplacedPages(sources, menu) {
  const listed = menu.flatMap(({ pages }) => pages);
  const isOfRepository = (source) => ofRepository.some((folder) => source.startsWith(folder));
  const unlisted = sources.filter((source) => !listed.includes(source) && !isOfRepository(source));
  const missing = listed.filter((page) => !sources.includes(page));
  const twice = listed.filter((page, index) => listed.indexOf(page) !== index || isOfRepository(page));
  return [
    ...unlisted.map((page) => `${page} is in no group of scripts/docs/site.mjs.`),
    ...missing.map((page) => `${page} is in a group of scripts/docs/site.mjs, and does not exist.`),
    ...twice.map((page) => `${page} is in scripts/docs/site.mjs twice.`),
  ];
}

/** @param current source of the page that has the menu; null: the first page. */
function navigation(current, pages, menu) {
  const from = current === null ? start : servedPath(current);
  const shown = menu.filter((group) => group.pages.length > 0);
  return shown.map((group) => ({
    ...group,
    items: group.pages.map((source) => ({
      title: pages.get(source).title,
      href: relativeLink(from, servedPath(source)),
      isCurrent: source === current,
    })),
  }));
}

/** The endpoints come after the page's introduction, before its first section. */
function insertReference(page, { html, headings }) {
  const at = page.html.indexOf('<h2 ');
  page.html = `${page.html.slice(0, at)}${html}${page.html.slice(at)}`;
  page.headings.splice(1, 0, ...headings);
}

/** The API's page has a style sheet and a script of its own. */
const ownOfReference = { style: 'openapi.css', script: 'openapi.js' };

/** Pictures that no served page shows are for readers of the repository. */
function assetFiles(directory, sources, shown) {
  const isAsset = (source) => !source.endsWith('.md') && (!/\.(png|svg)$/.test(source) || shown.has(source));
  return sources.filter(isAsset).map((source) => [source, readFileSync(join(directory, source))]);
}

function searchIndex(pages, menu) {
  const entries = menu.flatMap((group) =>
    group.pages.flatMap((source) => searchEntries(pages.get(source), servedPath(source), group.title)),
  );
  return `export default ${JSON.stringify(entries)};\n`;
}

/** The first page: the menu, and the errors with links to their sections. */
function firstPage(pages, { menu, errors, version }) {
  const page = relativeLink(start, servedPath(errorsPage));
  const links = errors.map((error) => ({ ...error, href: `${page}#${error.id}` }));
  return startPage(navigation(null, pages, menu), links, version);
}

/** Every page as a file, by its path in the build. */
function pageFiles(pages, site) {
  const { menu, reference, version } = site;
  const place = (source, path, page) => {
    const asset = (name) => relativeLink(path, `${start}/${name}`);
    const own = reference !== null && source === referencePage ? ownOfReference : {};
    return pageHtml(page, { groups: navigation(source, pages, menu), asset, own, version });
  };
  const sources = menu.flatMap((group) => group.pages);
  return [
    ['index.html', place(null, start, firstPage(pages, site))],
    ...sources.map((source) => [builtFile(source), place(source, servedPath(source), pages.get(source))]),
  ];
}

function ownFiles({ reference, script }) {
  const names = ['docs.css', 'burgee.svg', ...(reference === null ? [] : [ownOfReference.style])];
  return [
    ...names.map((name) => [name, readFileSync(join(import.meta.dirname, name))]),
    ['docs.js', script],
    ...(reference === null ? [] : [[ownOfReference.script, reference.script]]),
  ];
}

/**
 * @param directory of Markdown and pictures.
 * @param site `menu`: the served pages by group, null for all of them in one group; `errors`: the sections that error
 * bodies link to, `{id, title}`; `extras`: other files to serve, `{path, body}` by the link that leads to them;
 * `reference`: what the API's page shows in addition to its Markdown, `{html, headings, script}`, null if the site has
 * none; `script` of all pages; `version`.
 * @returns every file of the site by path, and the site's problems.
 */
export function buildSite(directory, { menu: given, ...others }) {
  const sources = sourceFiles(directory);
  const markdown = sources.filter((source) => source.endsWith('.md'));
  const misplaced = given === null ? [] : misplacedPages(markdown, given);
  if (misplaced.length > 0) return { files: new Map(), problems: misplaced };
  const site = { ...others, menu: given ?? [{ title: 'Pages', about: 'All pages.', pages: markdown }] };
  const { menu, errors, extras, reference } = site;

  const listed = new Set(menu.flatMap((group) => group.pages));
  const isServed = (target) =>
    listed.has(target) || extras.has(target) || (!target.endsWith('.md') && sources.includes(target));
  const promises = errors.map(({ id }) => {
    return { source: 'the list of errors', href: `${errorsPage}#${id}`, target: errorsPage, id };
  });
  const pages = new Map();
  for (const source of markdown) {
    const text = readFileSync(join(directory, source), 'utf8');
    pages.set(source, renderMarkdown(text, linkResolver(source, isServed, extras, promises)));
  }
  if (reference !== null) insertReference(pages.get(referencePage), reference);

  const shown = new Set(promises.filter(({ source }) => listed.has(source)).map(({ target }) => target));
  const files = new Map([
    ...ownFiles(site),
    ['search-index.js', searchIndex(pages, menu)],
    ...assetFiles(directory, sources, shown),
    ...[...extras.values()].map(({ path, body }) => [path, body]),
    ...pageFiles(pages, site),
  ]);
  const ownProblems = [...pages].flatMap(([source, page]) =>
    page.problems.map((each) => `${source}: ${each}`),
  );
  return { files, problems: [...ownProblems, ...brokenLinks(promises, pages, directory)] };
}
