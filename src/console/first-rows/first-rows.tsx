/*
 * A script of its own that draws the first rows of the list of flags as soon as their answers are there, before the
 * browser compiles the console; then it starts the console. It is built from the same components, with a stand-in for
 * React (`draw.ts`) and for libraries (`stand-ins.tsx`). `take-over.ts` is its other side, in the console.
 */
import type { FlagPage } from '../../contracts/console/flag-views.ts';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import type { FirstAnswers } from '../client/first-answers.ts';
import { PreferenceStore } from '../parts/preferences.ts';
import { draw } from './draw.ts';
import { FirstPage, FirstTable } from './first-page.tsx';
import { firstValues } from './stand-ins.tsx';
import { type FirstRows, replaceBy } from './take-over.ts';

/** How long the console waits for the rows. */
const rowsMs = 600;
/** In a narrower window the filters may need two lines, the navigation is behind a button, or flags are cards. */
const wideWindow = '(min-width: 80em)';

interface Answers {
  readonly project: ProjectView;
  readonly memberId: string;
  readonly page: FlagPage;
}

/** More is not typed in the time that the console takes. */
const keysMax = 50;

let hasBegun = false;

/** A copy, because the console reads the answer, too. */
async function read(answers: FirstAnswers['answers'], path: string): Promise<unknown> {
  const answer = await answers.get(`/console/api${path}`);
  if (answer === undefined || !answer.ok || hasBegun) throw new Error('There is no such answer.');
  return await answer.clone().json();
}

/** @returns null where the console shows something else than the first rows */
async function readAnswers({ answers, asked }: FirstAnswers, projectId: string): Promise<Answers | null> {
  await asked;
  const [session, projects, page] = await Promise.all([
    read(answers, '/session') as Promise<{ readonly member: { readonly id: string } }>,
    read(answers, '/projects') as Promise<{ readonly projects: readonly ProjectView[] }>,
    read(answers, `/projects/${projectId}/flags?limit=100`) as Promise<FlagPage>,
  ]);
  firstValues.set('session', session).set('projects', projects);
  const project = projects.projects.find(({ id }) => id === projectId);
  const hasColumns = project?.isMultiEnvironment === false || project?.environments.length !== 0;
  if (project === undefined || page.flags.length === 0 || !hasColumns) return null;
  return { project, memberId: session.member.id, page };
}

/** Draws the table again as it is scrolled: the rows that come into view. */
function followScrolling(place: Element, redraw: (into: Element) => void): void {
  place.querySelector('[data-flag-list]')?.addEventListener('scroll', ({ currentTarget }) => {
    const drawn = document.createElement('div');
    redraw(drawn);
    const [shown, table] = [currentTarget as Element, drawn].map((at) => at.querySelector('[role="grid"]'));
    if (shown && table) replaceBy(shown, table, () => shown.replaceWith(table));
  });
}

/** Keeps shortcuts for the console: keys of a letter or sign, and every key after the palette's. */
function keysUntil(isOver: () => boolean): readonly KeyboardEvent[] {
  const keys: KeyboardEvent[] = [];
  const keep = (event: KeyboardEvent): void => {
    if (isOver()) document.removeEventListener('keydown', keep, { capture: true });
    if (isOver()) return;
    const { key, ctrlKey, metaKey, altKey } = event;
    const isPalette = (ctrlKey || metaKey) && key.toLowerCase() === 'k';
    const isSign = /^[^ ]$/.test(key) && !ctrlKey && !metaKey;
    if (altKey || keys.length === keysMax || !(isPalette || isSign || keys.length > 0)) return;
    event.preventDefault();
    keys.push(event);
  };
  document.addEventListener('keydown', keep, { capture: true });
  return keys;
}

async function drawRows(first: FirstAnswers, projectId: string): Promise<void> {
  const known = await readAnswers(first, projectId);
  if (known === null || hasBegun) return;
  const { project, page, memberId } = known;
  const preferences = new PreferenceStore(memberId, () => window.localStorage).present;
  document.documentElement.dataset['density'] = preferences.density;
  const place = { search: {}, top: 0, left: 0, cell: null };
  const element = document.createElement('div');
  element.id = 'first-rows';
  element.setAttribute('aria-busy', 'true');
  draw(<FirstPage {...{ project, page, preferences, place }} />, element);
  document.body.append(element);
  followScrolling(element, (into) => draw(<FirstTable {...{ project, page, preferences, place }} />, into));
  const rows: FirstRows = { element, place, pressed: null, keys: keysUntil(() => !element.isConnected) };
  Object.assign(globalThis, { burgeeFirstRows: rows });
  element.addEventListener('click', ({ target }) => {
    rows.pressed = target instanceof Element ? target.closest('button') : null;
  });
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** The colours of the whole page, as Mantine has them: without them a dark page would be white at first. */
function setScheme(): void {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
}

async function firstRows(): Promise<void> {
  setScheme();
  const { burgeeFirstAnswers } = globalThis as { burgeeFirstAnswers?: FirstAnswers };
  const { pathname, search } = window.location;
  const [, projectId] = /^\/console\/projects\/(\w+)\/flags\/?$/.exec(pathname) ?? [];
  const isList = projectId !== undefined && search === '' && matchMedia(wideWindow).matches;
  if (burgeeFirstAnswers === undefined || !isList) return;
  const late = new Promise((resolve) => setTimeout(resolve, rowsMs));
  await Promise.race([drawRows(burgeeFirstAnswers, projectId), late]);
}

/** The page names the console's script in a tag that begins no download by itself. */
const consoleScript = document.currentScript?.dataset['console'] ?? '';
void firstRows()
  // Storage may be forbidden, an answer may be a refusal: the console says what is wrong.
  .catch(() => null)
  .then(() => {
    hasBegun = true;
    // React makes errors while it begins. For their stacks, which nobody reads, a browser would compile it once more.
    Object.assign(Error, { stackTraceLimit: 0 });
    return import(/* @vite-ignore */ consoleScript);
  });
