import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { meterProcess } from '../../bench/load/process-meter.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { eventually, expect, percentileOf } from '../support/expectations.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { type CampaignProject, provisionProject } from './campaign-project.ts';
import { type OpenLoopOutcome, runOpenLoop } from './open-loop.ts';
import { inMegabytes, ownBytesOf } from './resources.ts';
import { SteadyLoad } from './steady-load.ts';
import { getRequest, patchRequest } from './wire-connection.ts';

/** The kinds of requests that overload the service. Each costs the service far more than it costs the test. */
interface Ware {
  readonly name: string;
  requestOf(project: CampaignProject, turn: number): string;
}

const largeCohorts = Array.from(
  { length: 1000 },
  (_, index) => `a cohort with a longer name, number ${index}`,
);

const wares: readonly Ware[] = [
  {
    name: 'project evaluations',
    requestOf: ({ projectId }, turn) => getRequest(`/v1/flags/project/${projectId}?targetingKey=${turn}`),
  },
  { name: 'flag lists', requestOf: ({ secret }) => getRequest('/api/v1/flags', secret) },
  {
    name: 'large changes',
    requestOf: ({ flags, secret }, turn) =>
      patchRequest(`/api/v1/flags/${flags[turn % flags.length]}`, secret, {
        cohorts: [`${turn}`, ...largeCohorts],
      }),
  },
];

const flagCount = 900;
const requestDeadlineMs = 1000;
const inFlightMax = 256;
const capacityConnections = 32;
const connectionsMax = 4000;
/**
 * The client gets a core of its own: if it shared the service's cores, it could not send more than the service answers.
 */
const workers = Math.max(1, availableParallelism() - 1);
const overloadFactor = 2;
const recoversWithinMs = 2000;
const sampleRecoversWithinMs = 20_000;
/** The limit of memory for buffered answers and sockets, beyond that of a busy service. */
const growthMaxBytes = 400 * 1024 * 1024;
/** How late the test itself may read an answer in a sample, which shares the machine. */
const slackMs = { full: 100, sample: 1500 };
const recoveryMin = 0.8;
/**
 * The share of the capacity that must be answered with success at twice the capacity: of what the service can do in the
 * processor time that it got, because on two cores the client takes some of it.
 */
const goodputMin = 0.5;
/** The share of requests that the client may fail to send: otherwise it does not overload the service. */
const givenUpShareMax = 0.01;
/** The limit of the median time of immediate refusals. */
const promptMs = 100;
/**
 * The share of refusals that may come at the deadline, of requests that had been admitted. The others are refused at
 * once.
 */
const dueShareMax = 0.1;

interface Trial extends Lifetime {
  readonly project: CampaignProject;
  readonly server: BootedServer;
  readonly ware: Ware;
  readonly context: CampaignContext;
}

function startClosedLoop({ project, server, ware, teardown }: Trial): SteadyLoad {
  return SteadyLoad.start(
    { teardown },
    {
      port: server.port,
      connections: capacityConnections,
      pauseMs: 0,
      requestOf: (turn) => ware.requestOf(project, turn),
      isRight: ({ status }) => status === 200,
    },
  );
}

/** Answers a second in a closed loop without refusals. */
interface Capacity {
  /** Answers a second. */
  readonly rate: number;
  /** Processor time of the service, in cores. */
  readonly cores: number;
}

async function measureCapacity(trial: Trial, seconds: number): Promise<Capacity> {
  const load = startClosedLoop(trial);
  await setTimeout(seconds * 250);
  load.restart();
  const used = meterProcess(trial.server.pid);
  await setTimeout(seconds * 1000);
  const cores = used().processUs / 1e6 / seconds;
  const { answered, wrong } = load.tally;
  await load.stop();
  expect(wrong.length === 0, `${trial.ware.name}: ${wrong.join('\n')}`);
  return { rate: answered / seconds, cores };
}

function judgeOutcome({ ware, context }: Trial, { answers, sent, lost, givenUp }: OpenLoopOutcome): void {
  const late = context.isFull ? slackMs.full : slackMs.sample;
  const refused = answers.filter(({ status }) => status === 503);
  const odd = answers.find(({ status }) => status !== 200 && status !== 503);
  expect(odd === undefined, `${ware.name}: ${odd?.status} ${odd?.body}`);
  const isOpen = givenUp <= sent * givenUpShareMax;
  expect(isOpen || !context.isFull, `${ware.name}: ${givenUp} found no connection: the rate was not kept`);
  expect(lost === 0, `${ware.name}: ${lost} connections were closed without an answer`);
  const slowestMs = answers.reduce((slowest, { durationMs }) => Math.max(slowest, durationMs), 0);
  expect(slowestMs <= requestDeadlineMs + late, `${ware.name}: an answer took ${Math.round(slowestMs)} ms`);
  const atOnce = refused.filter(({ durationMs }) => durationMs < requestDeadlineMs - 100);
  const medianMs = percentileOf(
    atOnce.map(({ durationMs }) => durationMs),
    50,
  );
  // Beside other tests the measured capacity may be low, and twice as much still no overload.
  const isOverloaded = refused.length > 0 || !context.isFull;
  expect(isOverloaded, `${ware.name}: nothing was refused, so nothing was overloaded`);
  const isPrompt = atOnce.length === 0 || medianMs <= promptMs;
  if (context.isFull)
    expect(isPrompt, `${ware.name}: half of the refusals took over ${medianMs.toFixed(0)} ms`);
  const prompt = atOnce.length === 0 ? 'all at their deadline' : `half at once in ${medianMs.toFixed(0)} ms`;
  const dueShare = (refused.length - atOnce.length) / Math.max(refused.length, 1);
  const isMostlyPrompt = dueShare <= dueShareMax || !context.isFull;
  expect(isMostlyPrompt, `${ware.name}: ${(100 * dueShare).toFixed(1)} % were refused at their deadline`);
  const text = `${refused.length} of ${answers.length} refused (${givenUp} given up), ${prompt}, ${(100 * dueShare).toFixed(1)} % at their deadline`;
  context.note(`${ware.name}: ${text}, slowest answer ${slowestMs.toFixed(0)} ms`);
}

/** Runs for the speed of before, or, in a sample, whose machine may be busy with other tests, for an answer at all. */
async function expectRecovery(trial: Trial, capacity: number): Promise<void> {
  const { ware, context } = trial;
  if (!context.isFull) {
    const load = startClosedLoop(trial);
    const message = `${ware.name}: a request is answered after the overload`;
    await eventually(() => load.tally.answered > 0, sampleRecoversWithinMs, message);
    await load.stop();
    return;
  }
  await setTimeout(recoversWithinMs - 1000);
  const share = (await measureCapacity(trial, 4)).rate / capacity;
  expect(share > recoveryMin, `${ware.name}: only ${share.toFixed(2)} of the speed came back`);
}

async function overloadWith(trial: Trial, seconds: number): Promise<number> {
  const { project, server, ware, context } = trial;
  const measuredSeconds = context.isFull ? 4 : 0.6;
  const { rate: capacity, cores } = await measureCapacity(trial, measuredSeconds);
  const before = ownBytesOf(server.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, ownBytesOf(server.pid));
  }, 100);
  const requestsPerSecond = capacity * overloadFactor;
  const requestOf = (turn: number): string => ware.requestOf(project, turn);
  const used = meterProcess(server.pid);
  const startedAt = performance.now();
  const outcome = await runOpenLoop({
    port: server.port,
    requestsPerSecond,
    seconds,
    connectionsMax,
    requestOf,
  });
  const given = used().processUs / 1000 / (performance.now() - startedAt) / cores;
  clearInterval(watch);
  const grown = `${inMegabytes(before)} MB before, ${inMegabytes(most)} MB at most`;
  context.note(
    `${ware.name}: ${capacity.toFixed(0)} a second, then ${requestsPerSecond.toFixed(0)}; ${grown}`,
  );
  judgeOutcome(trial, outcome);
  const goodput = outcome.answers.filter(({ status }) => status === 200).length / seconds / capacity;
  const answered = `${goodput.toFixed(2)} of the capacity was answered, in ${given.toFixed(2)} of its processor time`;
  context.note(`${ware.name}: ${answered}`);
  if (context.isFull) expect(goodput > goodputMin * Math.min(1, given), `${ware.name}: ${answered}`);
  expect(most - before < growthMaxBytes, `${ware.name}: the memory grew from ${grown}`);
  await expectRecovery(trial, capacity);
  return outcome.answers.length;
}

/** Loads the service with twice its capacity, for COUNT seconds with each kind of request. */
export const overload: Campaign = {
  name: 'overload',
  summary:
    'twice the capacity at a rate that does not wait: no answer later than the deadline, the rest is 503 at once, memory stays bounded, and speed comes back',
  sampleCount: 1,
  fullCount: 30,
  async run(context) {
    const counts = { 'seconds each': context.count, answers: 0 };
    for (const ware of wares) {
      counts.answers += await withLifetime(async ({ teardown }) => {
        const project = await provisionProject({ teardown }, { flags: flagCount });
        const settings = {
          ...unlimited,
          BURGEE_REQUEST_DEADLINE_MS: String(requestDeadlineMs),
          BURGEE_IN_FLIGHT_MAX: String(inFlightMax),
          BURGEE_WORKERS: String(workers),
        };
        const server = await bootServer({ teardown }, { dataDir: project.dataDir, settings });
        const answers = await overloadWith({ teardown, project, server, ware, context }, context.count);
        await server.stop();
        return answers;
      });
    }
    return counts;
  },
};
