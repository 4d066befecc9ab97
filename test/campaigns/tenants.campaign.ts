import { setTimeout } from 'node:timers/promises';
import { bootWithAdmin } from '../admin/admin-fixture.ts';
import { flagdPortOf } from '../flagd/flagd-fixture.ts';
import { eventually, expect, percentileOf } from '../support/expectations.ts';
import { withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { inMegabytes, ownBytesOf, stillTaken, storedBytes } from './resources.ts';
import type { AttackStage } from './tenants/attacks.ts';
import { attacks } from './tenants/attacks.ts';
import {
  controlName,
  evaluationName,
  QuietClients,
  type QuietReading,
  signInName,
} from './tenants/quiet-clients.ts';
import { installTenants, type TenantsInstallation } from './tenants/tenants-installation.ts';

/** In full almost as much as Burgee's bounds allow. */
const sizes = {
  full: { largeFlags: 50, cohortsOfLargeFlag: 36_000, flagsOfLongProject: 9900, environmentsOfGroup: 100 },
  sample: { largeFlags: 12, cohortsOfLargeFlag: 20_000, flagsOfLongProject: 4000, environmentsOfGroup: 30 },
};
const attackMs = { full: 10_000, sample: 2200 };
const warmMs = 500;
/** Less than the long flags of the hostile tenant need. */
const settings = { BURGEE_CACHE_BYTES: '64MiB', BURGEE_FLAGD_SYNC_PORT: '0' };
/**
 * The allowed delay beyond the machine's own, for each attack under way: of an evaluation, of a request that goes through
 * the writer or reads lists, and of a sign-in, whose hash has a low priority.
 */
const p99MaxMs = {
  full: { evaluation: 50, signIn: 3000, other: 1000 },
  /**
   * For all attacks together. Shorter than an attack: what hangs counts with its age. A sign-in may last longer than a
   * sample's attack, so only its refusal is judged.
   */
  sample: { evaluation: 500, signIn: Number.POSITIVE_INFINITY, other: 2000 },
};
/**
 * Time limit after all clients have gone, until nothing is held for them any more. Beside other tests, passwords that wait are
 * hashed slowly: their threads have a low priority.
 */
const givenBackMs = { full: 10_000, sample: 60_000 };
const growthMaxBytes = 900 * 1024 * 1024;
/** What the store may hold more after an attack. */
const storedMaxBytes = 20 * 1024 * 1024;
/** And for each change that gave a flag or an audience another whole list. */
const wholeListMaxBytes = 2 * 1024 * 1024;
/**
 * How many of the machine's own delays a request may have in addition: it waits for the processor in several threads. A
 * sample must also pass on a machine that other processes keep busy; on a calm one that delay is a millisecond or two.
 */
const machineDelays = { full: 1, sample: 20 };
const names = Object.keys(attacks);
const attacksOfSample = 5;
const sampleCount = Math.ceil(names.length / attacksOfSample);

/**
 * The first cases have one attack each, of all kinds one after another, or five in the sample; later cases have two or three at
 * once.
 */
function attacksOf(number: number, random: Random, isFull: boolean): readonly string[] {
  // Not those that stand together: they are alike, and load the same part.
  if (!isFull && number <= sampleCount) return names.filter((_, index) => index % sampleCount === number - 1);
  if (number <= names.length) return [names[number - 1] ?? ''];
  return random.shuffle(names).slice(0, random.integer(2, 3));
}

async function playCase(
  context: CampaignContext,
  installation: TenantsInstallation,
  chosen: readonly string[],
  random: Random,
): Promise<readonly number[]> {
  const tier = context.isFull ? 'full' : 'sample';
  return withLifetime(async (t) => {
    const { server, admin } = await bootWithAdmin(t, { dataDir: installation.dataDir, settings });
    const flagdPort = await flagdPortOf(server);
    const quiet = await QuietClients.start(t, { port: server.port, flagdPort }, installation.quiet);
    await setTimeout(warmMs);
    const before = ownBytesOf(server.pid);
    const storedBefore = storedBytes(installation.dataDir);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, ownBytesOf(server.pid));
    }, 50);
    t.teardown(() => clearInterval(watch));
    let end: number | NodeJS.Signals | null = null;
    const ended = server.ended.then((how) => {
      clearInterval(watch);
      end = how;
    });
    let isOver = false;
    let wholeLists = 0;
    const stage: AttackStage = {
      teardown: t.teardown,
      port: server.port,
      flagdPort,
      tenant: installation.hostile,
      cohortsOfLargeFlag: sizes[tier].cohortsOfLargeFlag,
      random,
      isOver: () => isOver,
      wholeListStored: () => {
        wholeLists += 1;
      },
    };
    const running = Promise.all(
      chosen.map(async (name) => {
        try {
          return (await attacks[name]?.(stage)) ?? 0;
        } catch (cause) {
          throw new Error(`${name} (of ${chosen.join(', ')}): ${cause}`, { cause });
        }
      }),
    );
    // Awaited at the end: until then a failure must not end the run.
    running.catch(() => undefined);
    quiet.forget();
    await Promise.race([ended, setTimeout(attackMs[tier])]);
    expect(end === null, `${chosen.join(', ')}: the service ended with ${end}`);
    const readings = await quiet.read();
    isOver = true;
    const sent = await running;
    await quiet.stop();
    const stored = storedBytes(installation.dataDir) - storedBefore;
    const text = `${chosen.join(', ')}: ${readings.map(described).join(', ')}, ${inMegabytes(before)} to ${inMegabytes(most)} MB, ${inMegabytes(stored)} MB more stored`;
    context.note(text);
    judge(readings, chosen.length, tier, text);
    const faults = server.lines.filter((line) => /"level":[56]0/.test(line));
    expect(faults.length === 0, `the service logged a fault: ${faults[0]?.slice(0, 2000)}: ${text}`);
    expect(
      sent.every((count) => count > 0),
      `an attack sent nothing: ${text}`,
    );
    expect(most - before < growthMaxBytes, `the memory grew: ${text}`);
    const storedMax = chosen.length * storedMaxBytes + wholeLists * wholeListMaxBytes;
    expect(stored <= storedMax, `the store grew, ${wholeLists} whole lists: ${text}`);
    const isGivenBack = async (): Promise<boolean> => stillTaken(await admin.scrape()) === '';
    await eventually(isGivenBack, givenBackMs[tier], 'all resources are given back').catch(
      async (fault: unknown) => {
        throw new Error(`${fault}: ${stillTaken(await admin.scrape())}: ${text}`);
      },
    );
    clearInterval(watch);
    await server.stop();
    return [p99Of(readings, evaluationName), sent.reduce((sum, count) => sum + count, 0)];
  });
}

function judge(
  readings: readonly QuietReading[],
  attacksAtOnce: number,
  tier: 'full' | 'sample',
  text: string,
): void {
  const machineMs = p99Of(readings, controlName);
  for (const { name, durationsMs, lost, refused } of readings) {
    if (name === controlName) continue;
    expect(durationsMs.length > 0, `${name} was never answered: ${text}`);
    expect(refused.length === 0, `${name} was refused ${refused.length} times, with ${refused[0]}: ${text}`);
    expect(lost === 0, `${name} lost ${lost} connections: ${text}`);
    const p99 = percentileOf(durationsMs, 99);
    expect(
      p99 - machineDelays[tier] * machineMs <= boundOf(name, tier, attacksAtOnce),
      `${name} has a p99 of ${p99.toFixed(1)} ms: ${text}`,
    );
  }
}

/** Shorter than an attack, in which nothing can last longer. */
function boundOf(name: string, tier: 'full' | 'sample', attacksAtOnce: number): number {
  const { evaluation, signIn, other } = p99MaxMs[tier];
  const boundMs = name === evaluationName ? evaluation : name === signInName ? signIn : other;
  return tier === 'full' ? Math.min(boundMs * attacksAtOnce, 0.8 * attackMs.full) : boundMs;
}

function p99Of(readings: readonly QuietReading[], name: string): number {
  return percentileOf(readings.find((reading) => reading.name === name)?.durationsMs ?? [], 99);
}

function described({ name, durationsMs, lost, refused }: QuietReading): string {
  const failed = lost + refused.length;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `${name} p99 ${percentileOf(durationsMs, 99).toFixed(1)} ms of ${durationsMs.length}${failures}`;
}

/**
 * One organisation attacks in every way that it has. Another one works normally and is hardly delayed. Afterwards
 * nothing is held.
 */
export const tenants: Campaign = {
  name: 'tenants',
  summary: 'a hostile tenant causes no refusal to another one, and delays it little',
  sampleCount,
  fullCount: 36,
  async run(context) {
    const installation = await installTenants(context, sizes[context.isFull ? 'full' : 'sample']);
    let slowestMs = 0;
    let requests = 0;
    for (const { number, random } of context.cases()) {
      const [p99 = 0, sent = 0] = await playCase(
        context,
        installation,
        attacksOf(number, random, context.isFull),
        random,
      );
      slowestMs = Math.max(slowestMs, p99);
      requests += sent;
    }
    return {
      cases: context.count,
      'requests of the attacks': requests,
      'highest p99 of evaluations in ms': slowestMs.toFixed(1),
    };
  },
};
