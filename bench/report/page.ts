import type { Comparison, ResultFile, RunFacts } from '../comparison.ts';
import type { Scenario } from '../scenario.ts';
import { type Figure, figuresOfMetric } from './figure.ts';
import { judgeTarget } from './judge-target.ts';
import { escapeMarkdown, markdownTable } from './markdown.ts';
import { formatNumber, formatSetting } from './numbers.ts';
import { type Plot, plotsOf } from './plots.ts';
import { cellsOf } from './report-text.ts';

/** The folder of the page's pictures, relative to the page. */
export const plotsFolder = 'benchmarks';

const introduction = `# Benchmarks

This page is written by \`npm run bench\` from the files in \`bench/results\`, one a scenario: its newest run. Nobody types
a figure into the tables and plots; only the last section, [what was tried](#what-was-tried), is written by hand. To see
other figures, run a scenario on your machine.

- **Every figure is a ratio in the same run.** Contenders take turns, A B B A, and each round gives a ratio to the base. The
  tables show the median of the rounds, that ratio, and the spread: the largest ratio minus the smallest, relative to the
  median. The base has the spread of its own values. A spread over 20 % is called noise.
- **CPU per request** is user and system time of all threads of the server, and of the processes that it starts, as the
  operating system counts it. It is measured beside throughput, because a busy machine blurs it less.
- **Throughput is closed-loop**: each connection asks again when it is answered. The driver is named: \`autocannon\` is itself
  the limit above some 40,000 requests a second, \`wrk\` later.
- **Latency is open-loop**: requests leave at a fixed rate, and a latency counts from the moment at which the request was
  due. A server that stalls is charged for everything that waited meanwhile. The generator's own lateness is from due to
  sent, for requests that found a connection free: what it is responsible for itself.
- The load generator runs on the same machine, beside the server.`;

function commitText({ commit, isModified }: RunFacts): string {
  return `\`${commit.slice(0, 10)}\`${isModified ? ', modified' : ''}`;
}

function machineLine(run: RunFacts): string {
  const { at, node, cpu, cores, memoryBytes, kernel, isModified } = run;
  const memory = `${formatNumber(memoryBytes / 2 ** 30, 1)} GiB`;
  const changed = isModified ? ' (the tree held changes that the commit does not)' : '';
  return `${at.slice(0, 10)}, commit \`${run.commit.slice(0, 10)}\`${changed}, Node ${node}, ${cores} × ${escapeMarkdown(cpu)}, ${memory}, ${escapeMarkdown(kernel)}.`;
}

function targetsSection(results: readonly ResultFile[]): string {
  const rows = results.flatMap(({ report, run }) =>
    report.targets.map((target) => {
      const { what, bound, figure, spread, verdict, text } = judgeTarget(report, target);
      const shown = verdict === 'reached' ? text : `**${text}**`;
      return [
        `[${report.scenario}](#${report.scenario}), ${escapeMarkdown(target.comparison)}: ${escapeMarkdown(what)}`,
        escapeMarkdown(bound),
        figure,
        spread,
        shown,
        commitText(run),
      ];
    }),
  );
  if (rows.length === 0) return '## Targets\n\nNone was measured yet.';
  const head = ['What', 'Bound', 'Figure', 'Spread', 'Verdict', 'Commit'];
  const why = rows.some(([, , , , verdict]) => verdict?.includes('missed'))
    ? '\n\nWhy some are missed, and where the time goes: [what was tried](#what-was-tried).'
    : '';
  return `## Targets\n\n${markdownTable(head, rows, 'right')}${why}`;
}

function cellOf(figure: Figure): string {
  const [median = '', ratio = '', spread = '', noise = ''] = cellsOf(figure);
  const shown = figure.isBase ? ratio : `**${ratio}**`;
  return [median, shown, spread, noise].filter((text) => text !== '').join(' · ');
}

function figuresTable(comparison: Comparison): string {
  const { metrics, contenders } = comparison;
  const columns = metrics.map((metric) => figuresOfMetric(comparison, metric).map(cellOf));
  const rows = contenders.map(({ name }, row) => [
    escapeMarkdown(name),
    ...columns.map((cells) => cells[row] ?? ''),
  ]);
  return markdownTable(['', ...metrics.map(({ label }) => escapeMarkdown(label))], rows, 'right');
}

function comparisonSection(scenario: string, comparison: Comparison): string {
  const { id, title, driver, settings, rounds, contenders, base, remarks = [] } = comparison;
  const said = Object.entries({ rounds, ...settings }).map(([name, value]) =>
    escapeMarkdown(`${name} ${formatSetting(value)}`),
  );
  const plots = plotsOf(scenario, comparison).map(
    (plot) => `![${escapeMarkdown(plot.title)}](${plotsFolder}/${plot.file})`,
  );
  return [
    `### ${scenario}: ${id}`,
    `${escapeMarkdown(title)}. Driven by ${escapeMarkdown(driver)}; ${said.join(', ')}.`.replace(
      /([.?])\./,
      '$1',
    ),
    contenders.map(({ name, what }) => `- **${escapeMarkdown(name)}**: ${escapeMarkdown(what)}.`).join('\n'),
    `Median · ratio to ${escapeMarkdown(base)} · spread:`,
    figuresTable(comparison),
    ...plots,
    ...remarks.map((remark) => `> ${escapeMarkdown(remark)}`),
  ].join('\n\n');
}

function scenarioSection({ run, report }: ResultFile, catalogue: readonly Scenario[]): string {
  const summary = catalogue.find(({ name }) => name === report.scenario)?.summary;
  const missing = report.missing.map(
    ({ name, why }) => `- Not measured: **${escapeMarkdown(name)}**: ${escapeMarkdown(why)}.`,
  );
  return [
    `## ${report.scenario}`,
    ...(summary === undefined ? [] : [`${sentence(summary)}`]),
    machineLine(run),
    `To repeat it:\n\n\`\`\`bash\n${run.command}\n\`\`\``,
    ...report.comparisons.map((comparison) => comparisonSection(report.scenario, comparison)),
    ...(missing.length === 0 ? [] : [missing.join('\n')]),
  ].join('\n\n');
}

function sentence(text: string): string {
  return escapeMarkdown(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

function notYetSection(results: readonly ResultFile[], catalogue: readonly Scenario[]): string | null {
  const lacking = catalogue.filter(({ name }) => !results.some(({ report }) => report.scenario === name));
  if (lacking.length === 0) return null;
  const rows = lacking.map(({ name, summary }) => `- \`${name}\`: ${escapeMarkdown(summary)}.`);
  return `## Not measured yet\n\n${rows.join('\n')}`;
}

export interface ResultsPage {
  readonly markdown: string;
  readonly plots: readonly Plot[];
}

/**
 * @param whatWasTried Markdown that ends the page unchanged, with headings from the second level down
 * @returns the page of results: the same bytes for the same results
 */
export function makePage(
  results: readonly ResultFile[],
  catalogue: readonly Scenario[],
  whatWasTried: string,
): ResultsPage {
  const place = ({ report }: ResultFile): number => {
    const name = report.scenario.replace(/-before$/, '');
    const index = catalogue.findIndex((scenario) => scenario.name === name);
    return (index === -1 ? catalogue.length : index) + (name === report.scenario ? 0 : 0.5);
  };
  const sorted = results.toSorted((a, b) => place(a) - place(b));
  const notYet = notYetSection(sorted, catalogue);
  const sections = [
    introduction,
    targetsSection(sorted),
    ...sorted.map((result) => scenarioSection(result, catalogue)),
    ...(notYet === null ? [] : [notYet]),
    whatWasTried.trim(),
  ];
  return {
    markdown: `${sections.join('\n\n')}\n`,
    plots: sorted.flatMap(({ report }) =>
      report.comparisons.flatMap((comparison) => plotsOf(report.scenario, comparison)),
    ),
  };
}
