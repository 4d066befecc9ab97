import type { ResultFile } from '../comparison.ts';
import { escapeMarkdown, markdownTable } from './markdown.ts';
import { type Measured, measured, measuredText } from './measured.ts';

/** The heading of the last section of docs/clients.md, which is generated from results. */
const heading = '## <a id="how-fast"></a>How fast';

/** A figure of one way to evaluate, with its description. */
interface DescribedFigure extends Measured {
  readonly way: string;
  readonly what: string;
}

function row(path: string, words: Pick<DescribedFigure, 'way' | 'what' | 'of' | 'unit'>): DescribedFigure {
  return { ...measured(path, words.of, words.unit), ...words };
}

const inProcess = '`burgee-client`, in process';
const api = 'Evaluation API, `curl`';
const ofrep = 'OFREP';
const ofrepList = 'OFREP, all flags of a project of 100 at once';
const browser = 'OFREP, a browser that follows events';
const flagd = "flagd's providers, in process";
/** The figures of the section. Those that were not measured are left out. */
const described: readonly DescribedFigure[] = [
  row('client/in-process/burgee-client/cpuNs', {
    way: inProcess,
    what: 'CPU of an answer',
    of: 'value',
    unit: 'ns',
  }),
  row('client/change-visible/burgee-client/p50Ms', {
    way: inProcess,
    what: 'a change until an answer shows it, p50',
    of: 'value',
    unit: 'ms',
  }),
  row('client/change-visible/burgee-client/p99Ms', {
    way: inProcess,
    what: 'the same, p99',
    of: 'value',
    unit: 'ms',
  }),
  row("flagd-streams/memory/streams of flagd's providers/p50Ms", {
    way: flagd,
    what: 'a change until 1,000 of them have it, p50',
    of: 'value',
    unit: 'ms',
  }),
  row("flagd-streams/memory/streams of flagd's providers/p99Ms", {
    way: flagd,
    what: 'the same, p99',
    of: 'value',
    unit: 'ms',
  }),
  row("flagd-streams/memory/streams of flagd's providers/bytes", {
    way: flagd,
    what: 'memory of the service for each of them',
    of: 'value',
    unit: 'bytes',
  }),
  row('evaluate-flag/latency/burgee/p50Us', { way: api, what: 'a request, p50', of: 'value', unit: 'µs' }),
  row('evaluate-flag/latency/burgee/p99Us', { way: api, what: 'a request, p99', of: 'value', unit: 'µs' }),
  row('ofrep/latency/ofrep/p50Us', { way: ofrep, what: 'a request, p50', of: 'value', unit: 'µs' }),
  row('ofrep/latency/ofrep/p99Us', { way: ofrep, what: 'a request, p99', of: 'value', unit: 'µs' }),
  row('ofrep/throughput-wrk/ofrep/requestsPerSecond', {
    way: ofrep,
    what: 'requests a second, of those to the Evaluation API',
    of: 'ratio',
    unit: '',
  }),
  row('ofrep/latency-list/ofrep/p50Us', { way: ofrepList, what: 'a request, p50', of: 'value', unit: 'µs' }),
  row('ofrep/latency-list/ofrep/p99Us', { way: ofrepList, what: 'a request, p99', of: 'value', unit: 'µs' }),
  row('ofrep/throughput-wrk-list/ofrep/requestsPerSecond', {
    way: ofrepList,
    what: 'requests a second, of those to the Evaluation API',
    of: 'ratio',
    unit: '',
  }),
  row('client/change-visible/a browser by OFREP/p50Ms', {
    way: browser,
    what: 'a change until the flags that it fetches show it, p50',
    of: 'value',
    unit: 'ms',
  }),
  row('client/change-visible/a browser by OFREP/p99Ms', {
    way: browser,
    what: 'the same, p99',
    of: 'value',
    unit: 'ms',
  }),
];

function rowOf(results: readonly ResultFile[], each: DescribedFigure): readonly (readonly string[])[] {
  const figure = measuredText(results, each);
  const where = `[${each.scenario}](benchmarks/${each.scenario}.md)`;
  return figure === null ? [] : [[each.way, each.what, escapeMarkdown(figure), where]];
}

/**
 * @param page docs/clients.md
 * @returns the page with its last section generated from these results; without the section if no figure was measured
 */
export function withMeasuredWays(page: string, results: readonly ResultFile[]): string {
  const at = page.indexOf(`\n${heading}`);
  const written = at < 0 ? page : page.slice(0, at);
  const rows = described.flatMap((each) => rowOf(results, each));
  if (rows.length === 0) return written;
  const table = markdownTable(['Way', 'What', 'Measured', 'By'], rows, 'left');
  return `${written}
${heading}

\`npm run bench\` writes this section from the newest result of each scenario. The figures are medians of its rounds, with client and service on one machine. The scenario's page names machine, load and spread.

${table}
`;
}
