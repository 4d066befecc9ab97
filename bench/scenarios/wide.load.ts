import type { ScenarioReport } from '../comparison.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { withIdle } from '../measure/idle-bench.ts';
import { fastestOf } from '../measure/median-of.ts';
import { oneFlagQuestion, oneFlagTitle } from '../measure/one-flag-question.ts';
import { readOpenFilesMax } from '../measure/open-files.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { listOf } from '../measure/question.ts';
import { withFastestDriver } from '../measure/with-fastest-driver.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { bareLimit, startOneFlagServers } from '../servers/one-flag-servers.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'wide';
const connectionsHere = 1000;
const quickConnections = 100;
/** One connection in this many carries load. */
const oneActiveIn = 10;
/** Files that a process opens in addition to its connections. */
const otherFiles = 500;

function inWords(connections: number): string {
  return `${connections.toLocaleString('en-GB')} connections`;
}

async function compareWide(given: Bench, all: number): Promise<ScenarioReport> {
  const narrow = withFastestDriver(given);
  const connections = all / oneActiveIn;
  return await withServers(async (keep) => {
    const started = await startOneFlagServers(keep, 1, [bareLimit]);
    const title = `${oneFlagTitle}, over ${connections} of ${inWords(all)}`;
    const question = oneFlagQuestion(narrow, { ...started, title, connections });
    const bench = withIdle(narrow, all - connections, question.contenders);
    const throughput = await compareThroughput(bench, question);
    const halfRate = fastestOf(throughput, question.base) / 2;
    const rate = await findOpenLoopRate(bench, listOf(question, question.base), connections, halfRate);
    const comparisons = [...throughput, await compareLatency(bench, question, rate)];
    return { scenario, comparisons, targets: [], missing: [] };
  });
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const all = bench.settings.isQuick ? quickConnections : connectionsHere;
  const filesMax = readOpenFilesMax() ?? Number.POSITIVE_INFINITY;
  if (all + otherFiles <= filesMax) return await compareWide(bench, all);
  const why = `a process may have ${filesMax} files open here; raise the hard limit to ${all + otherFiles} (ulimit -Hn)`;
  return { scenario, comparisons: [], targets: [], missing: [{ name: inWords(all), why }] };
}

export const wideScenario: Scenario = {
  name: scenario,
  summary: '1,000 connections of which one in ten is active, one worker: against a bare constant answer',
  runsElsewhere: false,
  run,
};
