import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { claimFileOf } from '../../src/storage/lmdb/claim.ts';
import { linkedDirectory } from '../storage/support/linked-directory.ts';
import { type BootedServer, startServer, unlimited } from '../support/booted-server.ts';
import { spawnBurgee } from '../support/burgee-command.ts';
import { within } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { Campaign, CampaignCase, CampaignContext } from './campaign.ts';
import type { Target } from './load/installation.ts';
import { evaluationPathOf } from './load/mixed-load.ts';
import { Site } from './load/site.ts';

const flagsPerProject = 24;
const clients = 12;
/** How often the server of one directory is killed: after each kill its whole logs are read. */
const killsPerDirectory = 25;
const loadMsMax = 600;
const bootMsMax = 400;
const restartMsMax = 2000;
/** `burgee check` starts two processes. In a sample it runs after every fourth kill. */
const sampleChecksEvery = 4;
/** In every fifth case another service tries to write the served data file. */
const secondWriterEvery = 5;
const secondEndsMs = 30_000;
/** In every third case the data file is compacted, and half of these compactions are killed, too. */
const compactEvery = 3;
const compactionEndsMs = 30_000;

export const kill9: Campaign = {
  name: 'kill-9',
  summary: 'kill -9 at any moment of a mixed load loses no acknowledged change',
  sampleCount: 6,
  fullCount: 500,
  async run(context) {
    const counts = {
      ...{ kills: 0, 'while booting': 0, 'second services refused': 0, compactions: 0 },
      ...{ 'compactions killed': 0, 'acknowledged changes': 0, 'acknowledged denials': 0 },
      ...{ unanswered: 0, 'of them made': 0, 'slowest restart in ms': 0 },
    };
    const addTotals = ({ known, madeUnanswered, unanswered }: Site): void => {
      counts['acknowledged changes'] += known.changes.size;
      for (const denials of known.denials.values()) counts['acknowledged denials'] += denials;
      counts.unanswered += unanswered;
      counts['of them made'] += madeUnanswered;
    };
    let site: Site | null = null;
    for (const each of context.cases()) {
      if (site === null || counts.kills % killsPerDirectory === 0) {
        if (site !== null) addTotals(site);
        site = await Site.open(context, { flags: flagsPerProject });
      }
      await killOnce(context, site, each, counts);
    }
    if (site !== null) addTotals(site);
    return counts;
  },
};

/** Boots, compares both APIs with the store that the last kill left, loads, kills, and judges the store. */
async function killOnce(
  { isFull }: CampaignContext,
  site: Site,
  { number, random }: CampaignCase,
  counts: Record<
    'kills' | 'while booting' | 'second services refused' | 'compactions' | 'compactions killed',
    number
  > & { 'slowest restart in ms': number },
): Promise<void> {
  await withLifetime(async (t) => {
    if (random.chance(0.1)) {
      const words = ['serve', '--data-dir', site.dataDir, '--host', '127.0.0.1', '--port', '0'];
      await killAfter(words, random.integer(0, bootMsMax));
      counts['while booting'] += 1;
    }
    if (number % compactEvery === 0) counts[await compact(site.dataDir, random)] += 1;
    const before = await site.judge();
    const { server, restartMs } = await restart(t, site);
    counts['slowest restart in ms'] = Math.max(counts['slowest restart in ms'], restartMs);
    if (isFull && restartMs > restartMsMax) throw new Error(`the restart took ${restartMs} ms`);
    await site.judgeService(createHttpClient(t, { port: server.port }), before);
    const loadMs = random.integer(5, loadMsMax);
    const load = { random, clients, runName: `case ${number}`, isKilled: true };
    await site.loadDuring(t, server, load, async () => {
      if (number % secondWriterEvery === 0) {
        await expectNoSecondWriter(t, site.dataDir, random.chance(0.5));
        counts['second services refused'] += 1;
      }
      await setTimeout(loadMs);
    });
    counts.kills += 1;
    await site.judge({ isChecked: isFull || number % sampleChecksEvery === 0 });
  });
}

/** @returns the server, and how long it took from its start to its first evaluation. */
async function restart(
  t: Lifetime,
  site: Site,
): Promise<{ readonly server: BootedServer; readonly restartMs: number }> {
  const startedAt = performance.now();
  const server = await site.boot(t);
  const path = evaluationPathOf(site.installation.single.targets[0] as Target, 'alpha');
  const { status, text } = await createHttpClient(t, { port: server.port }).send({ path });
  if (status !== 200) throw new Error(`the first evaluation after a restart: ${status} ${text}`);
  return { server, restartMs: Math.round(performance.now() - startedAt) };
}

/** Starts a command, and kills it if it has not ended by then. @returns what it ended with */
async function killAfter(words: readonly string[], afterMs: number): Promise<number | NodeJS.Signals | null> {
  const child = spawnBurgee(words, unlimited);
  child.stdout.resume();
  child.stderr.resume();
  const closed = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  await Promise.race([closed, setTimeout(afterMs, null, { ref: false })]);
  child.kill('SIGKILL');
  return await closed;
}

async function compact(dataDir: string, random: Random): Promise<'compactions' | 'compactions killed'> {
  const afterMs = random.chance(0.5) ? random.integer(0, bootMsMax) : compactionEndsMs;
  const end = await killAfter(['compact', '--data-dir', dataDir], afterMs);
  if (end === 0) return 'compactions';
  if (end === 'SIGKILL' && afterMs < compactionEndsMs) return 'compactions killed';
  throw new Error(`burgee compact: it ended with ${end}`);
}

/**
 * Starts another service on the served data file, whose claim file was removed.
 * @param isLinked whether in a directory with a hard link to it
 */
async function expectNoSecondWriter(t: Lifetime, dataDir: string, isLinked: boolean): Promise<void> {
  rmSync(claimFileOf(dataDir), { force: true });
  const directory = isLinked ? linkedDirectory(t, dataDir) : dataDir;
  const second = startServer(t, { dataDir: directory });
  const end = await within(second.ended, secondEndsMs, () => 'another service serves the data file');
  const output = second.lines.join('\n');
  if (end !== 1 || !output.includes('is in use by another process'))
    throw new Error(`a second service on the data file: exit ${end}\n${output}`);
}
