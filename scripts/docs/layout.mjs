import { escapeHtml } from './render-markdown.mjs';

const icon = (path) =>
  `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true"><path d="${path}"/></svg>`;
const menuIcon = icon('M3 5h14M3 10h14M3 15h14');
const contentsIcon = icon('M3 5h14M7 10h10M7 15h10M3 10h.01M3 15h.01');
const searchIcon = icon('M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm8 2-3.8-3.8');

function link({ title, href, isCurrent }) {
  return `<a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;
}

/** Both lists are popovers in narrow windows, which need no script. In wide ones the style sheet shows them at the sides. */
function menuHtml(groups) {
  const lists = groups.map(({ title, items }) => {
    const pages = items.map((item) => `<li>${link(item)}</li>`).join('\n');
    return `<p>${escapeHtml(title)}</p>\n<ul>\n${pages}\n</ul>`;
  });
  return `<nav class="side menu" id="menu" popover aria-label="Documentation">\n${lists.join('\n')}\n</nav>`;
}

function sectionsOf(headings) {
  return headings.filter(({ depth }) => depth === 2 || depth === 3);
}

function contentsHtml(headings) {
  const items = sectionsOf(headings).map(
    ({ id, title, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="side contents" id="contents" popover aria-label="On this page">\n<p>On this page</p>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`;
}

function pagerHtml(groups) {
  const items = groups.flatMap((group) => group.items);
  const at = items.findIndex(({ isCurrent }) => isCurrent);
  const turn = (item, name, words) =>
    item === undefined
      ? ''
      : `<a class="${name}" href="${item.href}" rel="${name}"><span>${words}</span> ${escapeHtml(item.title)}</a>`;
  return `<nav class="pager" aria-label="Previous and next page">
${turn(items[at - 1], 'prev', 'Previous')}
${turn(items[at + 1], 'next', 'Next')}
</nav>`;
}

const searchHtml = `<search class="search">
${searchIcon}
<input type="search" placeholder="Search" aria-label="Search the documentation" aria-keyshortcuts="/ Control+K" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div class="found"><p role="status"></p><ul></ul></div>
</search>`;

/**
 * @param groups the menu: `{title, items}` of `{title, href, isCurrent}`
 * @param asset turns the name of a file of the site into a link to it.
 * @param own the page's own style sheet and script, by name: only the API's page has them.
 * @returns one complete page, without inline scripts and styles, and without anything from another origin.
 */
export function pageHtml(page, { groups, asset, own = {}, version }) {
  const styles = ['docs.css', ...(own.style === undefined ? [] : [own.style])];
  const scripts = ['docs.js', ...(own.script === undefined ? [] : [own.script])];
  const hasContents = sectionsOf(page.headings).length > 1;
  const isInMenu = groups.some(({ items }) => items.some(({ isCurrent }) => isCurrent));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Burgee</title>
<link rel="icon" href="${asset('burgee.svg')}" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="${asset(name)}">`).join('\n')}
${scripts.map((name) => `<script src="${asset(name)}" type="module"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" popovertarget="menu" aria-label="Menu">${menuIcon}</button>
<a class="brand" href="${asset('../docs')}"><img src="${asset('burgee.svg')}" alt="" width="20" height="20"><b>Burgee</b></a>
<span class="version">${escapeHtml(version)}</span>
${searchHtml}
${hasContents ? `<button class="of-contents" type="button" popovertarget="contents" aria-label="On this page">${contentsIcon}</button>` : ''}
</header>
${menuHtml(groups)}
${hasContents ? contentsHtml(page.headings) : ''}
<main id="content">
${page.html}${isInMenu ? pagerHtml(groups) : ''}
<footer>Burgee ${escapeHtml(version)}</footer>
</main>
</body>
</html>
`;
}

/** The page at `/docs`: the menu with a sentence about each group, and where `docs` links of errors arrive. */
export function startPage(groups, errors, version) {
  const cards = groups.map(
    ({ title, about, items }) => `<section class="card">
<h2>${escapeHtml(title)}</h2>
<p>${escapeHtml(about)}</p>
<ul>${items.map((item) => `<li>${link(item)}</li>`).join('\n')}</ul>
</section>`,
  );
  const items = errors.map(
    ({ id, title, href }) => `<li id="${id}"><a href="${href}">${escapeHtml(title)}</a></li>`,
  );
  const list = `<h2>Errors</h2>\n<p>The <code>docs</code> field of an error leads to one of these.</p>\n<ul class="errors">\n${items.join('\n')}\n</ul>\n`;
  const html = `<h1>Documentation</h1>\n<p class="lead">Burgee ${escapeHtml(version)}: run it, ask it whether a flag is on, and change flags.</p>\n<div class="cards">\n${cards.join('\n')}\n</div>\n${errors.length === 0 ? '' : list}`;
  return { title: 'Documentation', html, headings: [] };
}
