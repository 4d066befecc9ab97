import { Marked } from 'marked';

export function escapeHtml(text) {
  const names = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => names[character]);
}

/** Made as GitHub makes them, so that a link works in both places. */
function slug(text) {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.trim().replace(/\s+/g, '-');
}

function plainText(tokens) {
  return tokens.map((token) => (token.tokens ? plainText(token.tokens) : (token.text ?? ''))).join('');
}

/** `Plan required {#plan-required}`: an id that other software links to, so it must survive a new wording. */
const explicitId = /\s*\{#([\w-]+)\}\s*$/;

/** What the renderer adds to marked: ids on headings, rewritten links, tables that scroll, no raw HTML. */
function rendererOf(page, resolveLink) {
  return {
    heading({ tokens, depth }) {
      const text = plainText(tokens);
      const id = explicitId.exec(text)?.[1] ?? slug(text);
      const title = text.replace(explicitId, '');
      const html = this.parser.parseInline(tokens).replace(explicitId, '');
      page.headings.push({ id, title, depth });
      if (depth === 1) return `<h1 id="${id}">${html}</h1>\n`;
      const anchor = `<a class="anchor" href="#${id}" aria-label="Link to: ${escapeHtml(title)}">#</a>`;
      return `<h${depth} id="${id}">${html} ${anchor}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const link = resolveLink(href);
      if (link === null) return this.parser.parseInline(tokens);
      const target = escapeHtml(link);
      const isForeign = /^https?:/.test(target);
      return `<a href="${target}"${isForeign ? ' rel="noreferrer"' : ''}>${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      if (/^https?:/.test(href)) page.problems.push(`the picture ${href} is not ours: keep it in docs.`);
      const picture = `<img src="${escapeHtml(resolveLink(href))}" alt="${escapeHtml(text)}">`;
      return `<span class="picture" tabindex="0" role="region" aria-label="Picture">${picture}</span>`;
    },
    code({ text, lang }) {
      const language = lang ? ` class="language-${escapeHtml(lang)}"` : '';
      return `<pre tabindex="0"><code${language}>${escapeHtml(text)}\n</code></pre>\n`;
    },
    html({ raw }) {
      page.problems.push(`raw HTML is not used here: ${raw.trim()}`);
      return '';
    },
  };
}

function wrapTables(html) {
  return html
    .replaceAll('<table>', '<div class="table" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');
}

function duplicateIds(headings) {
  const ids = headings.map((heading) => heading.id);
  const twice = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [...twice].map((id) => `the id "${id}" stands twice.`);
}

/**
 * @param resolveLink turns a link of the Markdown into one of the page; null: its text stands alone.
 * @returns the page: title, HTML, headings and problems.
 */
export function renderMarkdown(markdown, resolveLink) {
  const page = { title: '', html: '', headings: [], problems: [] };
  const marked = new Marked({ renderer: rendererOf(page, resolveLink) });
  page.html = wrapTables(marked.parse(markdown));
  const titles = page.headings.filter((heading) => heading.depth === 1);
  if (titles.length !== 1) page.problems.push('a page has one heading of the first level, its title.');
  page.title = titles[0]?.title ?? '';
  page.problems.push(...duplicateIds(page.headings));
  return page;
}
