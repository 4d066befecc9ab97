import { type AdminClient, bootWithAdmin, type Scrape } from '../admin/admin-fixture.ts';
import { type Crowd, type Latencies, measure, openCrowd } from '../robustness/crowd.ts';
import { unlimited } from '../support/booted-server.ts';
import { expect } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { startControlServer } from '../support/latency-probe.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { installWorks } from './steps/works.ts';

const sizes = {
  full: { flagsOfList: 60_000, longFlags: 40, largeEntries: 20 },
  sample: { flagsOfList: 6000, longFlags: 12, largeEntries: 4 },
};
const windowMs = { full: 2000, sample: 250 };
/** How many windows are measured, in turns without the work and beside it. */
const rounds = { full: 5, sample: 2 };
/**
 * The share of steps over a millisecond that is allowed beyond twice that of a loop that only counts. The loop runs when
 * nothing else does: beside long bodies the writer and the clients keep two cores busy, and a step waits for a core.
 */
const overMax = { full: 0.01, sample: 0.05 };
const ratioMax = 1.5;
/**
 * Allowance beyond the ratio and the machine's own delay. A request waits for the slice of work that is under way, and an
 * answer alone takes less than one slice.
 */
const slackMs = { full: 1, sample: 10 };
/** Tries several times: a delay that the service causes comes each time, a delay of the machine does not. */
const attemptsMax = 3;
const clients = 2;
const metric = 'burgee_worker_step_duration_seconds';

interface Stage {
  readonly admin: AdminClient;
  readonly crowd: Crowd;
  readonly tier: 'full' | 'sample';
  measure(ms: number): Promise<Latencies>;
}

/** The effect of a work on its worker's thread and on another connection of that worker. */
interface Reading {
  readonly steps: number;
  /** The share of steps that took longer than a millisecond. */
  readonly over: number;
  /** The same share, of a loop that only counts. */
  readonly machineOver: number;
  readonly p99Alone: number;
  readonly p99Beside: number;
  /** How much later an idle process answered beside the work. */
  readonly machineMs: number;
  readonly statuses: Readonly<Record<string, number>>;
}

function stepsOf(scrape: Scrape): { readonly all: number; readonly short: number } {
  return { all: scrape.sum(`${metric}_count`), short: scrape.sum(`${metric}_bucket`, { le: '0.001' }) };
}

/** A step of the usual length that only computes: if it takes longer, other processes had the CPU. */
function spinOver(ms: number): number {
  const spinMs = 0.25;
  let [spins, over] = [0, 0];
  for (const end = performance.now() + ms; performance.now() < end; spins += 1) {
    const startedAt = performance.now();
    while (performance.now() - startedAt < spinMs);
    if (performance.now() - startedAt > 1) over += 1;
  }
  return over / spins;
}

async function readBeside(stage: Stage, requests: readonly string[]): Promise<Reading> {
  const { admin, crowd, tier } = stage;
  const [alone, beside]: [Latencies[], Latencies[]] = [[], []];
  let [steps, short, machineOver] = [0, 0, 0];
  let statuses: Readonly<Record<string, number>> = {};
  for (let round = 0; round < rounds[tier]; round += 1) {
    alone.push(await stage.measure(windowMs[tier]));
    machineOver += spinOver(windowMs[tier] / 2) / rounds[tier];
    const before = stepsOf(await admin.scrape());
    crowd.begin(clients, requests);
    beside.push(await stage.measure(windowMs[tier]));
    statuses = await crowd.end();
    const after = stepsOf(await admin.scrape());
    steps += after.all - before.all;
    short += after.short - before.short;
  }
  const p99s = (all: readonly Latencies[]) => all.map(({ p99 }) => p99).sort((one, other) => one - other);
  const median = (values: readonly number[]) => values[values.length >> 1] ?? Number.NaN;
  const controls = (all: readonly Latencies[]) => Math.max(...all.map(({ controlP99 }) => controlP99));
  return {
    steps,
    over: 1 - short / steps,
    machineOver,
    p99Alone: median(p99s(alone)),
    p99Beside: median(p99s(beside)),
    machineMs: Math.max(0, controls(beside) - controls(alone)),
    statuses,
  };
}

function faultOf(reading: Reading, tier: 'full' | 'sample'): string | null {
  const { over, machineOver, p99Alone, p99Beside, machineMs } = reading;
  if (over > overMax[tier] + 2 * machineOver) return 'too many steps are long';
  if (p99Beside > ratioMax * p99Alone + machineMs + slackMs[tier]) return 'another connection waits';
  return null;
}

function described(name: string, reading: Reading): string {
  const { steps, over, machineOver, p99Alone, p99Beside, machineMs } = reading;
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
  const long = `${percent(over)} of ${steps} steps over 1 ms (the machine's: ${percent(machineOver)})`;
  const ratio = (p99Beside / p99Alone).toFixed(2);
  const late = `p99 ${p99Alone.toFixed(2)} ms alone, ${p99Beside.toFixed(2)} ms beside, ${ratio} times`;
  return `${name}: ${long}; ${late}, the machine ${machineMs.toFixed(2)} ms later`;
}

async function playCase(
  context: CampaignContext,
  stage: Stage,
  name: string,
  requests: readonly string[],
): Promise<Reading> {
  for (let attempt = 1; ; attempt += 1) {
    const reading = await readBeside(stage, requests);
    const text = described(name, reading);
    context.note(text);
    const given = Object.keys(reading.statuses);
    expect(
      given.every((status) => status === '200' || status === '400'),
      `refused: ${given}: ${text}`,
    );
    expect(reading.steps > 0, `no step was made: ${text}`);
    const fault = faultOf(reading, stage.tier);
    if (fault === null) return reading;
    expect(attempt < attemptsMax, `${fault}: ${text}`);
  }
}

/** Long work on a worker's thread is cut into steps, between which the worker serves its other connections. */
export const steps: Campaign = {
  name: 'steps',
  summary: 'long work is done in steps of a millisecond, and another connection of its worker waits little',
  sampleCount: 8,
  fullCount: 8,
  async run(context) {
    const tier = context.isFull ? 'full' : 'sample';
    const { dataDir, flagId, works } = await installWorks(context, sizes[tier]);
    const settings = { ...unlimited, BURGEE_WORKERS: '1', BURGEE_CACHE_BYTES: '16MiB' };
    const rates = { BURGEE_CONSOLE_RATE_LIMIT: '100000000' };
    const { server, admin } = await bootWithAdmin(context, { dataDir, settings: { ...settings, ...rates } });
    const client = createHttpClient(context, { port: server.port });
    const control = createHttpClient(context, { port: await startControlServer(context) });
    const ask = async (): Promise<number> =>
      (await client.send({ path: `/v1/flags/${flagId}?targetingKey=a` })).status;
    const askControl = () => control.send({ path: '/' });
    const stage: Stage = {
      admin,
      crowd: openCrowd(context, server.port),
      tier,
      measure: (ms) => measure(ms, ask, askControl),
    };
    await stage.measure(windowMs[tier]);
    const names = Object.keys(works);
    let [most, slowest] = [0, 0];
    for (const { number } of context.cases()) {
      const name = names[(number - 1) % names.length] ?? '';
      const reading = await playCase(context, stage, name, works[name] ?? []);
      most = Math.max(most, reading.over);
      slowest = Math.max(slowest, reading.p99Beside / reading.p99Alone);
    }
    await server.stop();
    return {
      works: names.length,
      'highest share of steps over 1 ms': `${(most * 100).toFixed(2)} %`,
      'highest p99 against alone': slowest.toFixed(2),
    };
  },
};
