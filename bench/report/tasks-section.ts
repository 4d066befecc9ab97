import type { Comparison, ResultFile } from '../comparison.ts';
import { type Figure, findFigure } from './figure.ts';
import { escapeMarkdown, markdownTable } from './markdown.ts';
import { formatNumber, formatRatio } from './numbers.ts';

/** Results that are shown on the page of the console, not on the page of benchmarks. */
export const tasksScenario = 'console-tasks';
export const tasksScenarioBefore = `${tasksScenario}-before`;

/** Begins the last section of docs/console-walk.md, which is made of results. */
const heading = '## The tasks, counted {#tasks}';

const devices = ['mouse', 'keyboard', 'phone'] as const;
type Device = (typeof devices)[number];
const titles: Readonly<Record<Device, string>> = {
  mouse: 'By mouse, 1440 × 900',
  keyboard: 'By keyboard alone',
  phone: 'On a phone, 390 × 844, by touch',
};

const introduction = `\`npm run bench -- console-tasks\` writes this section. It does each task in Chromium as a person would: each step waits for what the person sees, by role and name, and in the end the task must really be done. A click is a press of the pointer or a touch, a key is a press of a key, and typed text counts by its characters. Seconds are the time of a practised person plus the time that the browser really took. The person's time is the keystroke-level model: 0.2 s for a key, 1.1 s to point, 0.1 s to press or release a button, 0.4 s to move the hand between keyboard and mouse, 1.35 s to look and decide before each press and each command (Card, Moran and Newell, 1980; the button by Kieras, 2001). A key of a phone takes 0.33 s (Palin and others, 2019). Production is protected, so that a switch there asks first. Names are typed only as far as they are needed to be certain of the result. Where a task takes more than before, it is on purpose: revoking a token stands in a menu, apart from what is pressed often, and a phone's filters open from one button, which leaves room for the flags.`;

function taskOf(result: ResultFile | undefined, id: string): Comparison | undefined {
  return result?.report.comparisons.find((comparison) => comparison.id === id);
}

interface Sides {
  readonly before: Comparison | undefined;
  readonly now: Comparison | undefined;
}

function figureOf(comparison: Comparison | undefined, metric: string, device: Device): Figure | null {
  return comparison === undefined ? null : findFigure(comparison, metric, device);
}

function cell(sides: Sides, metric: string, device: Device): string {
  const shown = [sides.before, sides.now].map((side) => {
    const figure = figureOf(side, metric, device);
    return figure === null ? '–' : formatNumber(figure.median, figure.metric.digits);
  });
  return shown.join(' → ');
}

function ratioCell({ before, now }: Sides, device: Device): string {
  const [old, present] = [before, now].map((side) => figureOf(side, 'seconds', device)?.median);
  return old === undefined || present === undefined ? '–' : `**${formatRatio(present / old)}**`;
}

function deviceTable(
  before: ResultFile | undefined,
  now: ResultFile | undefined,
  ids: readonly string[],
  device: Device,
): string {
  const rows = ids.map((id) => {
    const sides = { before: taskOf(before, id), now: taskOf(now, id) };
    const title = sides.now?.title ?? sides.before?.title ?? id;
    return [
      escapeMarkdown(title),
      cell(sides, 'clicks', device),
      cell(sides, 'keys', device),
      cell(sides, 'seconds', device),
      ratioCell(sides, device),
    ];
  });
  const table = markdownTable(['Task', 'Clicks', 'Keys', 'Seconds', 'Ratio'], rows, 'right');
  return `### ${titles[device]}\n\n${table}`;
}

function consoleOf(result: ResultFile | undefined): string {
  const commit = result?.report.comparisons[0]?.settings['commit of the console'];
  return commit === undefined
    ? 'not measured'
    : `commit \`${commit}\`, measured on ${result?.run.at.slice(0, 10)}`;
}

/**
 * @param page docs/console-walk.md
 * @returns the page with its last section made of these results; without it where the tasks were not measured
 */
export function withCountedTasks(page: string, results: readonly ResultFile[]): string {
  const at = page.indexOf(`\n${heading}`);
  const written = at < 0 ? page : page.slice(0, at);
  const of = (scenario: string) => results.find(({ report }) => report.scenario === scenario);
  const [before, now] = [of(tasksScenarioBefore), of(tasksScenario)];
  const measured = now ?? before;
  if (measured === undefined) return written;
  const ids = measured.report.comparisons.map(({ id }) => id);
  const tables = devices.map((device) => deviceTable(before, now, ids, device));
  return `${written}
${heading}

${introduction}

Before → now. Before: ${consoleOf(before)}. Now: ${consoleOf(now)}.

${tables.join('\n\n')}
`;
}
