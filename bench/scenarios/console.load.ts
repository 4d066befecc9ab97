import { withLifetime } from '../../test/support/lifetime.ts';
import type { ScenarioReport, Target } from '../comparison.ts';
import { type ConsoleList, latencyMs, openConsoleLists } from '../console/console-list.ts';
import type { Bench, Scenario } from '../scenario.ts';

const scenario = 'console';
const comparison = 'list';
const contender = 'large';
const roundsMax = 3;

const metrics = [
  { key: 'firstRowsMs', label: 'until the first rows, ms', better: 'less', digits: 0 },
  { key: 'firstBytes', label: 'bytes until then', better: 'less', digits: 0 },
  { key: 'allRowsMs', label: 'until all rows, ms', better: 'less', digits: 0 },
  { key: 'allBytes', label: 'bytes until then', better: 'less', digits: 0 },
  { key: 'pageMs', label: 'a page of 1,000 flags, ms', better: 'less', digits: 1 },
  { key: 'framesInTime', label: 'frames under 20 ms while scrolling, %', better: 'more', digits: 1 },
  { key: 'changeBytes', label: "bytes of another user's change", better: 'less', digits: 0 },
] as const;

function target(what: string, metric: string, bound: Target['bound']): Target {
  return { what, comparison, metric, contender, of: 'value', bound };
}

const targets: readonly Target[] = [
  target('first rows of 10,000 flags, ms', 'firstRowsMs', { atMost: 1500 }),
  target('bytes until the first rows', 'firstBytes', { atMost: 300_000 }),
  target('frames under 20 ms while scrolling, %', 'framesInTime', { atLeast: 95 }),
  target("bytes of another user's change", 'changeBytes', { atMost: 5000 }),
];

async function measure(list: ConsoleList) {
  const opened = await list.open();
  const pageMs = await list.timePage();
  const framesInTime = await opened.scroll();
  const changeBytes = await opened.change();
  const { firstRowsMs, firstBytes, allRowsMs, allBytes } = opened;
  await opened.close();
  return {
    figures: { firstRowsMs, firstBytes, allRowsMs, allBytes, pageMs, framesInTime, changeBytes },
  };
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const { isQuick, rounds } = bench.settings;
  const [small, large, environments] = isQuick ? [50, 300, 5] : [100, 10_000, 40];
  return await withLifetime(async (t) => {
    bench.note(`storing ${large.toLocaleString('en-GB')} flags with ${environments} environments`);
    const lists = await openConsoleLists(t, [small, large], environments);
    const compared = await bench.compare({
      id: comparison,
      title: 'The list of flags, opened in a browser that has nothing of the console',
      driver: 'Chromium with its CPU slowed four times and 10 Mbit/s; scrolling and changes at full speed',
      settings: { environments, 'latency, ms': latencyMs },
      base: 'small',
      metrics,
      rounds: Math.min(roundsMax, rounds),
      contenders: lists.map((list, index) => ({
        name: index === 0 ? 'small' : contender,
        what: `the list of ${(index === 0 ? small : large).toLocaleString('en-GB')} flags`,
        isWarmedUp: false,
        measure: () => measure(list),
      })),
    });
    return { scenario, comparisons: [compared], targets, missing: [] };
  });
}

export const consoleScenario: Scenario = {
  name: scenario,
  summary:
    'the list of 10,000 flags with 40 environments in a slow browser: bytes, first rows, frames, changes',
  runsElsewhere: false,
  run,
};
