import { escapeHtml } from './render-markdown.mjs';

function sectionItems(headings) {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return sections.map(
    ({ id, title, depth }) => `<li class="section-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
}

function sectionList(headings) {
  const items = sectionItems(headings);
  return items.length === 0 ? '' : `\n<ul class="sections">\n${items.join('\n')}\n</ul>`;
}

function pageItem({ title, href, isCurrent }, headings) {
  const current = isCurrent ? ' aria-current="page"' : '';
  const sections = isCurrent ? sectionList(headings) : '';
  return `<li class="page"><a href="${href}"${current}>${escapeHtml(title)}</a>${sections}</li>`;
}

function groupHtml({ title, items }, headings) {
  const pages = items.map((item) => pageItem(item, headings)).join('\n');
  return `<p class="group">${escapeHtml(title)}</p>\n<ul class="pages">\n${pages}\n</ul>`;
}

/** The page has the list twice, and the style sheet shows one of them: so the drawer needs no script. */
function navigation(groups, headings) {
  const list = groups.map((group) => groupHtml(group, headings)).join('\n');
  return `<details class="drawer">
<summary>Contents</summary>
<nav aria-label="Contents">${list}</nav>
</details>
<nav class="sidebar" aria-label="Contents">${list}</nav>`;
}

function head(title, links) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${links}
</head>`;
}

/**
 * @param asset turns the name of a file of the site into a link to it.
 * @param own the page's own style sheet and script, by name: only the API's page has them.
 * @returns one complete page, without inline scripts and styles, and without anything from another origin.
 */
export function pageHtml(page, groups, asset, own = {}) {
  const links = [
    `<link rel="icon" href="${asset('burgee.svg')}" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${asset('docs.css')}">`,
    ...(own.style === undefined ? [] : [`<link rel="stylesheet" href="${asset(own.style)}">`]),
    ...(own.script === undefined ? [] : [`<script src="${asset(own.script)}" type="module"></script>`]),
  ].join('\n');
  return `${head(`${page.title} · Burgee`, links)}
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a class="brand" href="${asset('../docs')}"><img src="${asset('burgee.svg')}" alt="" width="20" height="20">Burgee</a></header>
${navigation(groups, page.headings)}
<main id="content">
${page.html}</main>
</body>
</html>
`;
}

/** For addresses that people guess: `/docs/api` and `/docs/` lead to `/docs`. */
export function redirectHtml(target) {
  return `${head('Burgee', `<meta http-equiv="refresh" content="0; url=${target}">`)}
<body><a href="${target}">The documentation</a></body>
</html>
`;
}
