import MiniSearch, { type SearchResult } from 'minisearch';
import { made } from './answer.ts';

/** An entry of the index, which `scripts/docs/search-index.mjs` makes. */
interface Section {
  /** Below the folder that holds `docs`, with the fragment. */
  readonly path: string;
  /** Its group and page. */
  readonly where: string;
  readonly title: string;
  readonly text: string;
}
type Found = Section & SearchResult;

const resultsMax = 12;
const excerptMax = 150;
const charactersBefore = 40;
/** Words of a question that no section is about. */
const stopWords = /^(a|an|and|can|do|does|for|how|i|in|is|it|my|of|the|to|what)$/i;

async function loadSearch(): Promise<(query: string) => readonly Found[]> {
  const address = new URL('search-index.js', import.meta.url).href;
  const { default: sections } = (await import(address)) as { default: readonly Section[] };
  const engine = new MiniSearch({
    fields: ['title', 'where', 'text'],
    processTerm: (term) => !stopWords.test(term) && term.toLowerCase(),
    searchOptions: {
      boost: { title: 4, where: 2 },
      prefix: true,
      // Two letters may differ in a word of six.
      fuzzy: (term) => term.length > 4 && 0.25,
    },
  });
  engine.addAll(sections.map((section, id) => ({ id, ...section })));
  return (query) => {
    const withAll = engine.search(query, { combineWith: 'AND' });
    const results = withAll.length > 0 ? withAll : engine.search(query);
    return results.slice(0, resultsMax).map((result) => ({ ...result, ...(sections[result.id] as Section) }));
  };
}

/** The words around the first match, with marks. */
function excerpt(text: string, terms: readonly string[]): HTMLElement {
  // Terms have no other signs of a pattern. A match begins a word.
  const patterns = terms.map((term) => term.replace(/[$+^|]/g, '\\$&'));
  const match = new RegExp(`(?<![\\p{L}\\p{N}])(${patterns.join('|')})`, 'iu');
  const from = text.lastIndexOf(' ', Math.max(0, text.search(match) - charactersBefore)) + 1;
  const isCut = text.length > from + excerptMax;
  const shown = isCut ? `${text.slice(from, text.lastIndexOf(' ', from + excerptMax))} …` : text.slice(from);
  const parts = shown.split(match);
  const element = made('span', from > 0 ? '… ' : '', 'text');
  element.append(...parts.map((part, index) => (index % 2 === 0 ? part : made('mark', part))));
  return element;
}

function itemOf({ path, where, title, text, terms }: Found): HTMLElement {
  const link = document.createElement('a');
  link.href = new URL(`../${path}`, import.meta.url).href;
  link.append(made('span', where, 'where'), made('b', title), excerpt(text, terms));
  const item = made('li', '');
  item.append(link);
  return item;
}

/** Searches when something is typed. The style sheet shows the results while the focus is on them or on the field. */
export function startSearch(): void {
  const [field, list, status] = ['', ' ul', ' [role=status]'].map((part) =>
    document.querySelector<HTMLElement>(`.search${part}`),
  );
  const input = field?.querySelector('input');
  if (!field || !list || !status || !input) return;
  let search: ReturnType<typeof loadSearch> | undefined;
  input.addEventListener('input', async () => {
    search ??= loadSearch();
    const query = input.value.trim();
    const found = (await search)(query);
    if (query !== input.value.trim()) return;
    list.replaceChildren(...found.map(itemOf));
    status.textContent = query && (found.length === 0 ? 'Nothing found' : `${found.length} found`);
  });
  const leave = (): void => (document.activeElement as HTMLElement).blur();
  list.addEventListener('click', leave);
  // Else the press would move the focus, and hide the results before the click.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  field.addEventListener('keydown', (event) => {
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.indexOf(event.target as HTMLInputElement);
    if (event.key === 'Escape') leave();
    else if (event.key === 'ArrowDown') stops[(at + 1) % stops.length]?.focus();
    else if (event.key === 'ArrowUp') stops.at(at - 1)?.focus();
    else if (event.key === 'Enter' && at === 0) stops[1]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).matches('input, select, textarea');
    const isShortcut = event.key === '/' ? !isTyping : event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isShortcut) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
