import type { Comparison, ResultFile, RunFacts } from '../comparison.ts';
import type { Scenario } from '../scenario.ts';
import { answersSection } from './answers.ts';
import { type Figure, figuresOfMetric } from './figure.ts';
import { judgeTarget } from './judge-target.ts';
import { escapeMarkdown, markdownTable } from './markdown.ts';
import { formatNumber, formatSetting } from './numbers.ts';
import { cellsOf } from './report-text.ts';

const introduction = `# Benchmarks

\`npm run bench\` writes this page from the newest run of each scenario, in \`bench/results\`. To see other figures, run a scenario on your machine.

## <a id="method"></a>How it is measured

- **Ratios are of one run.** Contenders alternate, A B B A, and each round gives a ratio to the base. A cell such as \`41,000 (0.820, 4.9%)\` has the median, the median of the ratios, and their spread: the largest minus the smallest, relative to the median. A spread over 20 % is called noise. The base has the spread of its own values.
- **CPU per request** is user and system time of all threads and processes of the server.
- **Throughput is closed-loop**: each connection sends its next request when it has an answer. **Latency is open-loop**: requests leave at a fixed rate, and a latency counts from when its request was due, so that a stalled server is charged for all requests that waited.
- The load generator runs on the same machine as the server.`;

/** The comparison with other servers that the first page shows whole. */
const shownOfPeers = 'rules-64';

function machineLine(run: RunFacts): string {
  const { at, node, cpu, cores, memoryBytes, kernel, isModified } = run;
  const memory = `${formatNumber(memoryBytes / 2 ** 30, 1)} GiB`;
  const changed = isModified ? ' (with uncommitted changes)' : '';
  return `${at.slice(0, 10)}, commit \`${run.commit.slice(0, 10)}\`${changed}, Node ${node}, ${cores} × ${escapeMarkdown(cpu)}, ${memory}, ${escapeMarkdown(kernel)}.`;
}

/** Names the missed targets; `npm run bench` shows all. */
function targetsPage(results: readonly ResultFile[]): string {
  const judged = results.flatMap(({ report }) =>
    report.targets.map((target) => ({ report, target, ...judgeTarget(report, target) })),
  );
  if (judged.length === 0) return '# Targets\n\nNone has been measured yet.';
  const reached = judged.filter(({ verdict }) => verdict === 'reached');
  const rows = judged
    .filter(({ verdict }) => verdict !== 'reached')
    .map(({ report, target, what, bound, figure, text }) => [
      `[${report.scenario}](${report.scenario}.md), ${escapeMarkdown(target.comparison)}: ${escapeMarkdown(what)}`,
      escapeMarkdown(bound),
      figure,
      text,
    ]);
  const count = `${reached.length} of ${judged.length} targets are reached.`;
  if (rows.length === 0) return `# Targets\n\n${count}`;
  const table = markdownTable(['Not reached', 'Bound', 'Figure', 'Verdict'], rows, 'right');
  return `# Targets\n\n${count} [Decision 0080](../decisions/0080-what-was-tried-for-speed.md) lists what was tried for speed.\n\n${table}`;
}

/** @returns `41,000 (0.820, 4.9%)`: median, ratio and spread */
function cellOf(figure: Figure): string {
  const [median = '', ratio = '', spread = '', noise = ''] = cellsOf(figure);
  const range = `${spread.replace(' ', '')}${noise === '' ? '' : ` ${noise}`}`;
  return figure.isBase ? `${median} (${range})` : `${median} (**${ratio}**, ${range})`;
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

function contenderLines({ contenders }: Comparison): readonly string[] {
  return contenders.map(({ name, what }) => `- **${escapeMarkdown(name)}**: ${escapeMarkdown(what)}.`);
}

function settingTexts({ driver, rounds, settings }: Comparison): readonly string[] {
  const named = Object.entries({ rounds, ...settings });
  return [
    `driven by ${escapeMarkdown(driver)}`,
    ...named.map(([name, value]) => escapeMarkdown(`${name} ${formatSetting(value)}`)),
  ];
}

function comparisonSection(comparison: Comparison, shown: ReadonlySet<string>): string {
  const { id, title, base, remarks = [] } = comparison;
  const isNew = (line: string): boolean => !shown.has(line);
  const settings = settingTexts(comparison).filter(isNew);
  const contenders = contenderLines(comparison).filter(isNew);
  const sentences = [
    `${escapeMarkdown(title)}.`.replace(/([.?])\./, '$1'),
    ...(settings.length === 0 ? [] : [settingsText(settings)]),
    `Ratios to ${escapeMarkdown(base)}:`,
  ];
  return [
    `## ${id}`,
    ...(contenders.length === 0 ? [] : [contenders.join('\n')]),
    sentences.join(' '),
    figuresTable(comparison),
    ...remarks.map((remark) => `> ${escapeMarkdown(remark)}`),
  ].join('\n\n');
}

function settingsText(texts: readonly string[]): string {
  const text = texts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function scenarioPage({ run, report }: ResultFile, catalogue: readonly Scenario[]): string {
  const summary = catalogue.find(({ name }) => name === report.scenario)?.summary;
  const missing = report.missing.map(
    ({ name, why }) => `- Not measured: **${escapeMarkdown(name)}**: ${escapeMarkdown(why)}.`,
  );
  const { comparisons } = report;
  const settings = comparisons.map(settingTexts);
  const common = (settings[0] ?? []).filter((text) => settings.every((texts) => texts.includes(text)));
  return [
    `# Benchmark: ${report.scenario}`,
    ...(summary === undefined ? [] : [`${sentence(summary)}`]),
    machineLine(run),
    `\`\`\`bash\n${run.command}\n\`\`\``,
    ...(common.length === 0 ? [] : [settingsText(common)]),
    ...comparisons.map((comparison, index) => {
      const before = comparisons.slice(0, index).flatMap(contenderLines);
      return comparisonSection(comparison, new Set([...common, ...before]));
    }),
    ...(missing.length === 0 ? [] : [missing.join('\n')]),
  ].join('\n\n');
}

function sentence(text: string): string {
  return escapeMarkdown(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

/** Burgee next to other servers, without the distribution of latencies, which their page has. */
function peersSection(results: readonly ResultFile[]): readonly string[] {
  const peers = results.find(({ report }) => report.scenario === 'peers');
  const found = peers?.report.comparisons.find(({ id }) => id === shownOfPeers);
  if (peers === undefined || found === undefined) return [];
  const metrics = found.metrics.filter(({ key }) => !/^p\d+/.test(key));
  const text = `${found.title}. ${machineLine(peers.run)} Ratios to ${found.base}. [All comparisons](benchmarks/peers.md) also have one to eight connections, latencies, Unleash's server and proxy, and libraries in process.`;
  return [
    '## <a id="peers"></a>Next to other servers',
    text,
    contenderLines(found).join('\n'),
    figuresTable({ ...found, metrics }),
  ];
}

/** The comment before the section of README.md that is generated from results, and the one after it. */
const [sectionBegin, sectionEnd] = ['<!-- written by npm run bench -->\n', '<!-- end -->'];

/**
 * @param readme README.md
 * @returns it with a table of Burgee next to other servers, generated from these results; as it is if they have none
 */
export function withServers(readme: string, results: readonly ResultFile[]): string {
  const peers = results.find(({ report }) => report.scenario === 'peers');
  const found = peers?.report.comparisons.find(({ id }) => id === shownOfPeers);
  const [before, rest = ''] = readme.split(sectionBegin);
  if (peers === undefined || found === undefined || rest === '') return readme;
  const metrics = found.metrics.filter(({ key }) => !/^p\d+/.test(key));
  const columns = metrics.map((metric) => figuresOfMetric(found, metric).map((figure) => cellsOf(figure)[0]));
  const rows = found.contenders
    .map(({ name }, row) => [escapeMarkdown(name), ...columns.map((cells) => cells[row] ?? '')])
    .filter(([name]) => name !== 'bare');
  const table = markdownTable(['', ...metrics.map(({ label }) => escapeMarkdown(label))], rows, 'right');
  const text = `${found.title}, on one machine with ${peers.run.cores} cores, ${peers.run.at.slice(0, 10)}: \`npm run bench -- peers\`, [how it is measured](docs/benchmarks.md#peers).`;
  return `${before}${sectionBegin}\n${text}\n\n${table}\n\n${sectionEnd}${rest.slice(rest.indexOf(sectionEnd) + sectionEnd.length)}`;
}

function scenariosSection(results: readonly ResultFile[], catalogue: readonly Scenario[]): string {
  const rows = catalogue.map(({ name, summary }) => {
    const measured = results.find(({ report }) => report.scenario === name);
    const link = measured === undefined ? escapeMarkdown(name) : `[${name}](benchmarks/${name}.md)`;
    return [link, sentence(summary), measured?.run.at.slice(0, 10) ?? 'not yet'];
  });
  const table = markdownTable(['Scenario', 'What it compares', 'Measured'], rows, 'left');
  return `## <a id="scenarios"></a>Every scenario\n\nEach page has machine, command and figures. [Targets](benchmarks/targets.md) are judged with each run.\n\n${table}`;
}

/** @returns the pages of results, by path in the folder of pages: the same bytes for the same results */
export function makePages(
  results: readonly ResultFile[],
  catalogue: readonly Scenario[],
): ReadonlyMap<string, string> {
  const positionOf = ({ report }: ResultFile): number => {
    const index = catalogue.findIndex(({ name }) => name === report.scenario);
    return index === -1 ? catalogue.length : index;
  };
  const sorted = results.toSorted((a, b) => positionOf(a) - positionOf(b));
  const summary = [
    introduction,
    answersSection(sorted),
    ...peersSection(sorted),
    scenariosSection(sorted, catalogue),
  ].join('\n\n');
  return new Map([
    ['benchmarks.md', `${summary}\n`],
    ['benchmarks/targets.md', `${targetsPage(sorted)}\n`],
    ...sorted.map(
      (result) =>
        [`benchmarks/${result.report.scenario}.md`, `${scenarioPage(result, catalogue)}\n`] as const,
    ),
  ]);
}
