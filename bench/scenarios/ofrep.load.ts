import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import type { BenchRequest } from '../load/request-list.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { type AskedContender, listOf, narrowTo, type Question } from '../measure/question.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { halfFlagProject, projectOfSize, userName } from '../servers/flag-fixtures.ts';
import { oneFlagRequests } from '../servers/one-flag-requests.ts';
import { readAnswer } from '../servers/same-answers.ts';
import { type BurgeeProcess, startBurgee } from '../servers/start-burgee.ts';
import { startBareServer } from '../servers/start-limits.ts';
import { type KeepServer, withServers } from '../servers/with-servers.ts';
import { workerArguments } from '../servers/worker-arguments.ts';

const scenario = 'ofrep';
const quickKeys = 1000;
const listSize = 100;
const listKeys = 1000;
const listSuffix = '-list';
const [oneProject, listProject] = ['bench', 'project-of-100'];

const targets: readonly Target[] = [
  {
    contender: 'ofrep',
    of: 'ratio',
    what: 'throughput against the Evaluation API',
    comparison: 'throughput-wrk',
    metric: 'requestsPerSecond',
    bound: { atLeast: 0.75 },
  },
];

/** The same question as each request of the Evaluation API, asked by OFREP. */
function asOfrep(path: string, asked: readonly BenchRequest[]): BenchRequest[] {
  return asked.map((request) => {
    const targetingKey = new URLSearchParams(request.path.split('?')[1]).get('targetingKey');
    return { path, method: 'POST', body: JSON.stringify({ context: { targetingKey } }), status: 200 };
  });
}

function contenders(
  { origin, pid }: BurgeeProcess,
  plain: readonly BenchRequest[],
  ofrep: string,
): AskedContender[] {
  return [
    { name: 'ofrep', what: 'OFREP', pid, list: { origin, requests: asOfrep(ofrep, plain) } },
    { name: 'api', what: 'The Evaluation API of the same process', pid, list: { origin, requests: plain } },
  ];
}

/** The limits of the two protocols: constant answers of the same length, without Burgee. */
async function bareContenders(
  { origin }: BurgeeProcess,
  plain: readonly BenchRequest[],
  ofrep: readonly BenchRequest[],
  keep: KeepServer,
): Promise<AskedContender[]> {
  const [get, post] = [plain[0] as BenchRequest, ofrep[0] as BenchRequest];
  const api = await keep(startBareServer((await readAnswer(origin, get.path)).body));
  const answered = await fetch(origin + post.path, { method: 'POST', body: post.body ?? '' });
  const body = await keep(startBareServer(await answered.text()));
  return [
    {
      name: 'bare-post',
      what: "A constant answer of uWebSockets.js that is as long as OFREP's, after the body of the request was parsed",
      pid: body.pid,
      list: { origin: body.origin, requests: ofrep },
    },
    {
      name: 'bare',
      what: "A constant answer of uWebSockets.js that is as long as the Evaluation API's",
      pid: api.pid,
      list: { origin: api.origin, requests: plain },
    },
  ];
}

/** Throughput of all contenders, and latencies at half of OFREP's throughput. */
async function compareBoth(bench: Bench, question: Question): Promise<Comparison[]> {
  const throughput = await compareThroughput(bench, question);
  const { connections } = question;
  const halfRate = fastestOf(throughput, 'ofrep') / 2;
  const rate = await findOpenLoopRate(bench, listOf(question, 'api'), connections, halfRate);
  const latency = await compareLatency(bench, narrowTo(question, ['ofrep', 'api']), rate);
  return [...throughput, latency];
}

async function compareOne(bench: Bench, burgee: BurgeeProcess, keep: KeepServer): Promise<Comparison[]> {
  const project = burgee.provisioned.projects[oneProject];
  const flagId = project?.flags['half'] ?? '';
  const requests = oneFlagRequests(flagId, bench.settings.isQuick ? quickKeys : undefined);
  const path = `/projects/${project?.id}/ofrep/v1/evaluate/flags/${flagId}`;
  return await compareBoth(bench, {
    title: 'One flag at 50 %, a different targeting key each time',
    base: 'api',
    connections: bench.settings.connections,
    settings: { 'targeting keys': requests.length },
    contenders: [
      ...contenders(burgee, requests, path),
      ...(await bareContenders(burgee, requests, asOfrep(path, requests), keep)),
    ],
  });
}

async function compareList(bench: Bench, burgee: BurgeeProcess): Promise<Comparison[]> {
  const projectId = burgee.provisioned.projects[listProject]?.id ?? '';
  const requests = Array.from({ length: listKeys }, (_unused, number) => ({
    path: `/v1/flags/project/${projectId}?targetingKey=${userName(number)}`,
    status: 200,
  }));
  return await compareBoth(bench, {
    title: `All flags of a project of ${listSize}`,
    base: 'api',
    idSuffix: listSuffix,
    connections: bench.settings.connections,
    flagsOfAnswer: listSize,
    settings: { flags: listSize, 'targeting keys': listKeys },
    remarks: [
      'An answer of OFREP is longer: each flag comes with its reason, variant and metadata, and all with their hash.',
    ],
    contenders: contenders(burgee, requests, `/projects/${projectId}/ofrep/v1/evaluate/flags`),
  });
}

function run(bench: Bench): Promise<ScenarioReport> {
  return withServers(async (keep) => {
    const projects = [halfFlagProject(oneProject), projectOfSize(listProject, listSize)];
    const burgee = await keep(startBurgee(projects, { args: workerArguments(1) }));
    const comparisons = [...(await compareOne(bench, burgee, keep)), ...(await compareList(bench, burgee))];
    return { scenario, comparisons, targets, missing: [] };
  });
}

export const ofrepScenario: Scenario = {
  name: scenario,
  summary:
    'one flag, and all flags of a project, by OFREP, throughput and latency: against the Evaluation API of the same process',
  runsElsewhere: false,
  run,
};
