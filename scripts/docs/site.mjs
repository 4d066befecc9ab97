import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { referencePage } from './api-reference.mjs';
import { pageHtml, redirectHtml } from './layout.mjs';
import { renderMarkdown } from './render-markdown.mjs';

/** The page that `/docs` shows; error bodies link to its sections. */
const startPage = 'api.md';

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
    pages: ['api.md', referencePage, 'configuration.md', 'limits.md', 'guarantees.md', 'benchmarks.md'],
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

/** @returns the file of the build that a link's target stands for: a page, a picture or an extra. */
function servedTarget(target, extras) {
  if (target.endsWith('.md')) return servedPath(target);
  return `docs/${extras.get(target)?.path ?? target}`;
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

function navigation(source, pages, menu) {
  const shown = menu.filter((group) => group.pages.length > 0);
  return shown.map((group) => ({
    title: group.title,
    items: group.pages.map((path) => ({
      title: pages.get(path).title,
      href: relativeLink(servedPath(source), servedPath(path)),
      isCurrent: path === source,
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

/**
 * @param directory of Markdown and pictures.
 * @param menu the served pages by group; null: all of them, in one group.
 * @param extras other files to serve: `{path, body}` by the link that leads to them.
 * @param reference what the API's page shows in addition to its Markdown: `{html, headings, script}`; null: the site has none.
 * @returns every file of the site by path, and the site's problems.
 */
export function buildSite(directory, { menu, extras, reference }) {
  const sources = sourceFiles(directory);
  const markdown = sources.filter((source) => source.endsWith('.md'));
  const groupsOfSite = menu ?? [{ title: 'Pages', pages: markdown }];
  const misplaced = menu === null ? [] : misplacedPages(markdown, menu);
  if (misplaced.length > 0) return { files: new Map(), problems: misplaced };
  const listed = new Set(groupsOfSite.flatMap((group) => group.pages));
  const isServed = (target) =>
    listed.has(target) || extras.has(target) || (!target.endsWith('.md') && sources.includes(target));
  const promises = [];
  const pages = new Map();
  for (const source of markdown) {
    const text = readFileSync(join(directory, source), 'utf8');
    pages.set(source, renderMarkdown(text, linkResolver(source, isServed, extras, promises)));
  }
  if (reference !== null) insertReference(pages.get(referencePage), reference);
  const files = new Map([['docs.css', readFileSync(join(import.meta.dirname, 'docs.css'))]]);
  files.set('burgee.svg', readFileSync(join(import.meta.dirname, 'burgee.svg')));
  if (pages.has(startPage)) files.set('api.html', redirectHtml('../docs'));
  const linked = new Set(promises.filter(({ source }) => listed.has(source)).map(({ target }) => target));
  // Pictures that no page shows are for readers of the repository.
  const isAsset = (source) => !source.endsWith('.md') && (!/\.(png|svg)$/.test(source) || linked.has(source));
  for (const source of sources.filter(isAsset)) files.set(source, readFileSync(join(directory, source)));
  for (const { path, body } of extras.values()) files.set(path, body);
  if (reference !== null) {
    files.set(ownOfReference.style, readFileSync(join(import.meta.dirname, ownOfReference.style)));
    files.set(ownOfReference.script, reference.script);
  }
  for (const source of listed) {
    const asset = (name) => relativeLink(servedPath(source), `docs/${name}`);
    const own = reference !== null && source === referencePage ? ownOfReference : {};
    const html = pageHtml(pages.get(source), navigation(source, pages, groupsOfSite), asset, own);
    files.set(builtFile(source), html);
  }
  const ownProblems = [...pages].flatMap(([source, page]) =>
    page.problems.map((each) => `${source}: ${each}`),
  );
  return { files, problems: [...ownProblems, ...brokenLinks(promises, pages, directory)] };
}
