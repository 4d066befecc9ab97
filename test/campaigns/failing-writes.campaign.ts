import { setTimeout } from 'node:timers/promises';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { Campaign, CampaignContext, CampaignCounts } from './campaign.ts';
import { buildDiskShim, DiskControl, type DiskFault, shimEnvironment, shimTools } from './disk/disk-shim.ts';
import { Site } from './load/site.ts';

const clients = 8;
/** The failing call is one of the first hundred. */
const callsMax = 100;
/** Time limit from the failure to a successful change, or to the end of the process. */
const settledMsMax = 10_000;
const goesOnMs = 300;
const pauseMs = 50;
const endsMessage = 'the service cannot go on and ends';
const unrecorded = /usage could not be recorded|"outcome":"(failed|unknown)".*a denial was not recorded/;
/**
 * lmdb formats the message of a failed write into a buffer that is too small (docs/contributing/gotchas.md). The C library may then
 * end the process, with one of these signals, and lmdb's message is its last line.
 */
const overrunSignals: readonly string[] = ['SIGABRT', 'SIGSEGV'];
const overrunWords = 'Write error: ';

interface Tally {
  failedCalls: number;
  answered500: number;
  recovered: number;
  ended: number;
  endedByOverrun: number;
}

export const failingWrites: Campaign = {
  name: 'failing-writes',
  summary:
    'a write or sync that fails is no success, its change is never seen, and the process recovers or ends',
  sampleCount: 3,
  fullCount: callsMax,
  tools: shimTools,
  async run(context) {
    const library = buildDiskShim(context);
    const site = await Site.open(context, { flags: 16 });
    const tally: Tally = { failedCalls: 0, answered500: 0, recovered: 0, ended: 0, endedByOverrun: 0 };
    for (const { number, random } of context.cases()) {
      const call = context.isFull ? ((number - 1) % callsMax) + 1 : random.integer(1, callsMax);
      const fault = faultOf(number, random, call);
      try {
        await withLifetime((t) => failOnce(t, { library, site, number, fault, random, tally }));
      } catch (error) {
        throw new Error(`${describe(fault)}: ${(error as Error).message}`, { cause: error });
      }
    }
    return countsOf(context, site, tally);
  },
};

const actions = ['before', 'after', 'short'] as const;
const kindsOfCalls = [['write'], ['sync'], ['write', 'sync']] as const;

/** Three cases in a row have each action and each kind of call. */
function faultOf(number: number, random: Random, call: number): DiskFault {
  const round = Math.floor((number - 1) / 3);
  return {
    action: actions[number % 3] ?? 'before',
    error: random.pick(['EIO', 'ENOSPC'] as const),
    kinds: kindsOfCalls[(number + round) % 3] ?? ['write'],
    passes: call - 1,
    failures: random.pick([1, 1, 3]),
  };
}

function describe({ action, error, kinds, passes, failures }: DiskFault): string {
  return `${kinds.join(' or ')} ${passes + 1}, ${failures} times, fails ${action} with ${error}`;
}

interface Failure {
  readonly library: string;
  readonly site: Site;
  readonly number: number;
  readonly fault: DiskFault;
  readonly random: Random;
  readonly tally: Tally;
}

async function failOnce(
  t: Lifetime,
  { library, site, number, fault, random, tally }: Failure,
): Promise<void> {
  const { known } = site;
  const control = new DiskControl(t);
  const server = await site.boot(t, shimEnvironment({ library, file: dataFileOf(site.dataDir), control }));
  const [failedBefore, unknownBefore] = [known.failures.get(500) ?? 0, known.unknownAnswers];
  control.fail(fault);
  const load = { random, clients, runName: `case ${number}`, isOver: untilFailed(control) };
  await site.load(t, server, load);
  const { failed } = control.counts();
  if (failed === 0) throw new Error('the fault was never triggered');
  tally.failedCalls += failed;
  const answered500 = (known.failures.get(500) ?? 0) - failedBefore;
  tally.answered500 += answered500;
  control.heal();
  const settled = await settle(createHttpClient(t, { port: server.port }), server, site);
  tally[settled] += 1;
  if (settled === 'recovered') await server.stop();
  // No client waits for the recording of counts or denials: its failure shows only in the log. After an overrun it shows nowhere.
  // A process that ends may answer 503 before the writer's answers reach the workers: the outcome is unknown then.
  const isUnknown = settled === 'ended' && known.unknownAnswers > unknownBefore;
  const isShown = answered500 > 0 || isUnknown || server.lines.some((line) => unrecorded.test(line));
  if (!isShown && settled !== 'endedByOverrun') {
    throw new Error(`no client was answered that its change failed: ${server.lines.slice(-5).join('\n')}`);
  }
  await site.judge({ areDenialsKept: false, mayFail: true, isServed: {} });
}

/** The load continues for a while after the failure, to check that no client sees the failed change. */
function untilFailed(control: DiskControl): () => boolean {
  const givesUpAt = performance.now() + settledMsMax;
  let failedAt: number | null = null;
  return () => {
    const now = performance.now();
    if (failedAt === null && control.counts().failed > 0) failedAt = now;
    return now > givesUpAt || (failedAt !== null && now - failedAt > goesOnMs);
  };
}

/** Waits until changes work again, or the process has ended with its reason, or lmdb's overrun has ended it. */
async function settle(
  client: HttpClient,
  server: BootedServer,
  site: Site,
): Promise<'recovered' | 'ended' | 'endedByOverrun'> {
  const givesUpAt = performance.now() + settledMsMax;
  while (performance.now() < givesUpAt) {
    const change = setTimeout(pauseMs).then(() => site.switchFlag(client));
    const outcome = await Promise.race([server.ended, change]);
    if (outcome === null) continue;
    if (typeof outcome === 'object') {
      if (outcome.status === 200) return 'recovered';
      continue;
    }
    if (
      overrunSignals.includes(String(outcome)) &&
      server.lines.some((line) => line.includes(overrunWords))
    ) {
      return 'endedByOverrun';
    }
    if (outcome !== 'SIGKILL')
      throw new Error(`the server ended with ${outcome}: ${server.lines.slice(-30).join('\n')}`);
    if (server.lines.some((line) => line.includes(endsMessage))) return 'ended';
    throw new Error(`the server ended without a reason: ${server.lines.slice(-3).join('\n')}`);
  }
  throw new Error(`the server neither recovered nor ended: ${server.lines.slice(-3).join('\n')}`);
}

function countsOf({ count }: CampaignContext, { known, unanswered }: Site, tally: Tally): CampaignCounts {
  return {
    faults: count,
    'failed calls': tally.failedCalls,
    'answered with 500': tally.answered500,
    recovered: tally.recovered,
    'ended in order': tally.ended,
    'ended by an overrun of lmdb': tally.endedByOverrun,
    'acknowledged changes': known.changes.size,
    'refused or failed': known.refused.size,
    unanswered,
  };
}
