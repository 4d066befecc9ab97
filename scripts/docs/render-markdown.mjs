import { Marked, Renderer } from 'marked';

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

/**
 * `<a id="plan-required"></a>Plan required`: an id that other software links to, so it must survive a new wording. GitHub
 * shows the heading without it, and follows links to it.
 */
const explicitId = /^<a id="([\w-]+)">$/;

/** A heading with a link to itself. */
export function headingHtml({ id, title, depth }, html = escapeHtml(title)) {
  const anchor = `<a class="anchor" href="#${id}" aria-label="Link to: ${escapeHtml(title)}">#</a>`;
  return `<h${depth} id="${id}">${html} ${anchor}</h${depth}>\n`;
}

/** In a session, lines that begin with `$ ` are commands, and a command goes on after a backslash; the rest is output. */
function sessionHtml(text) {
  return text.replace(/^\$ ((?:.*\\\n)*.*)/gm, '<span class="prompt">$ </span><b class="command">$1</b>');
}

/** A block of code. Its button is shown once the page's script runs. */
export function codeHtml(text, language, label) {
  const kind = language ? ` class="language-${escapeHtml(language)}"` : '';
  const name = label ? ` aria-label="${escapeHtml(label)}"` : '';
  const html = language === 'console' ? sessionHtml(escapeHtml(text)) : escapeHtml(text);
  return `<div class="code"><pre tabindex="0"${name}><code${kind}>${html}\n</code></pre><button class="copy" type="button" aria-live="polite">Copy</button></div>\n`;
}

/** What the renderer adds to marked: ids on headings, rewritten links, tables that scroll, no raw HTML. */
function rendererOf(page, resolveLink) {
  return {
    heading({ tokens, depth }) {
      const explicit = explicitId.exec(tokens[0]?.raw ?? '')?.[1];
      const words = explicit === undefined ? tokens : tokens.slice(2);
      const title = plainText(words);
      const id = explicit ?? slug(title);
      const html = this.parser.parseInline(words);
      page.headings.push({ id, title, depth });
      return headingHtml({ id, title, depth }, html);
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
      return `<span class="picture" tabindex="0" role="region" aria-label="${scrollerName(page, 'Picture')}">${picture}</span>`;
    },
    code({ text, lang }) {
      return codeHtml(text, lang);
    },
    table(token) {
      const label = scrollerName(page, 'Table');
      const table = Renderer.prototype.table.call(this, token);
      return `<div class="table" tabindex="0" role="region" aria-label="${label}">${table}</div>\n`;
    },
    html({ raw }) {
      page.problems.push(`raw HTML is not used here: ${raw.trim()}`);
      return '';
    },
  };
}

/** What scrolls has a name, of its own on the page. */
function scrollerName(page, kind) {
  const { title } = page.headings.at(-1) ?? page;
  const name = `${kind}: ${title}`;
  page.names.push(name);
  const count = page.names.filter((each) => each === name).length;
  return escapeHtml(count === 1 ? name : `${name} (${count})`);
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
  const page = { title: '', html: '', headings: [], names: [], problems: [] };
  const marked = new Marked({ renderer: rendererOf(page, resolveLink) });
  page.html = marked.parse(markdown);
  const titles = page.headings.filter((heading) => heading.depth === 1);
  if (titles.length !== 1) page.problems.push('a page has one heading of the first level, its title.');
  page.title = titles[0]?.title ?? '';
  page.problems.push(...duplicateIds(page.headings));
  return page;
}
