import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { claimFileOf } from '../../src/storage/lmdb/claim.ts';
import { linkedDirectory } from '../storage/support/linked-directory.ts';
import { type BootedServer, bootServer, startServer, unlimited } from '../support/booted-server.ts';
import { runBurgee, spawnBurgee } from '../support/burgee-command.ts';
import { within } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { Campaign, CampaignContext, CampaignCounts } from './campaign.ts';
import { expectSoundStore } from './expect-sound-store.ts';
import { Acknowledgements } from './load/acknowledgements.ts';
import { type Installation, installForLoad } from './load/installation.ts';
import { judgeService } from './load/judge-service.ts';
import { judgeStore } from './load/judge-store.ts';
import { evaluationPathOf, runMixedLoad } from './load/mixed-load.ts';

const flagsPerProject = 24;
const clients = 12;
/**
 * How often the server of one directory is killed before a new one is used, because its whole logs are read after each
 * kill.
 */
const killsPerDirectory = 25;
const loadMsMax = 600;
const bootMsMax = 400;
const restartMsMax = 2000;
/**
 * `burgee check` starts two processes. In a sample it runs after every fifth kill; after the others its checks run in
 * this process.
 */
const sampleChecksEvery = 5;
/** In every so many cases another service tries to write the served data file. */
const secondWriterEvery = 7;
const secondEndsMs = 30_000;
/** After every so many kills the data file is compacted, and half of these compactions are killed, too. */
const compactEvery = 4;
const compactionEndsMs = 30_000;

interface Tally {
  changes: number;
  denials: number;
  unanswered: number;
  madeUnanswered: number;
  checks: number;
  bootKills: number;
  secondWriters: number;
  compactions: number;
  compactionKills: number;
  restartMsMax: number;
}

export const kill9: Campaign = {
  name: 'kill-9',
  summary: 'kill -9 at any moment of a mixed load loses no acknowledged change',
  sampleCount: 8,
  fullCount: 500,
  async run(context) {
    const tally: Tally = {
      changes: 0,
      denials: 0,
      unanswered: 0,
      madeUnanswered: 0,
      checks: 0,
      bootKills: 0,
      secondWriters: 0,
      compactions: 0,
      compactionKills: 0,
      restartMsMax: 0,
    };
    const cases = context.cases()[Symbol.iterator]();
    for (let next = cases.next(); next.done !== true; ) {
      const directory = await openDirectory(context);
      for (let kills = 0; kills < killsPerDirectory && next.done !== true; kills += 1) {
        const { number, random } = next.value;
        await withLifetime((t) => killOnce(t, context, directory, number, random, tally));
        next = cases.next();
      }
      addTotals(tally, directory);
    }
    return countsOf(context.count, tally);
  },
};

interface Directory {
  readonly installation: Installation;
  readonly known: Acknowledgements;
  /** Unanswered changes that the store has nevertheless. */
  madeUnanswered: number;
}

async function openDirectory(context: CampaignContext): Promise<Directory> {
  return {
    installation: await installForLoad(context, { flags: flagsPerProject }),
    known: new Acknowledgements(),
    madeUnanswered: 0,
  };
}

/** Boots, compares both APIs with the store that the last kill left, loads, kills, and judges the store. */
async function killOnce(
  t: Lifetime,
  { isFull }: CampaignContext,
  directory: Directory,
  number: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  const { installation, known } = directory;
  if (random.chance(0.1)) {
    await killWhileBooting(installation.dataDir, random);
    tally.bootKills += 1;
  }
  if (number % compactEvery === 0) await compact(installation.dataDir, random, tally);
  const before = await judgeStore(installation, known);
  const { server, restartMs } = await restart(t, installation);
  tally.restartMsMax = Math.max(tally.restartMsMax, restartMs);
  if (isFull && restartMs > restartMsMax) throw new Error(`the restart took ${restartMs} ms`);
  await judgeService(createHttpClient(t, { port: server.port }), installation, before.states);

  let isOver = false;
  const loadMs = random.integer(5, loadMsMax);
  const isTried = number % secondWriterEvery === 0;
  const kill = async (): Promise<void> => {
    try {
      if (isTried) await expectNoSecondWriter(t, installation.dataDir, random.chance(0.5));
      await setTimeout(loadMs);
    } finally {
      isOver = true;
      server.signal('SIGKILL');
    }
  };
  const load = runMixedLoad(t, installation, {
    port: server.port,
    random,
    acknowledgements: known,
    clients,
    runName: `case ${number}`,
    isOver: () => isOver,
  });
  await Promise.all([load, kill()]);
  if (isTried) tally.secondWriters += 1;
  const end = await server.ended;
  if (end !== 'SIGKILL')
    throw new Error(`the server ended with ${end}: ${server.lines.slice(-5).join('\n')}`);
  directory.madeUnanswered = (await judgeStore(installation, known)).madeUnanswered;
  if (isFull || number % sampleChecksEvery === 0) await checkDirectory(installation.dataDir, tally);
  else expectSoundStore(installation.dataDir);
}

/** @returns the server, and how long it took from its start to its first evaluation. */
async function restart(
  t: Lifetime,
  { dataDir, single }: Installation,
): Promise<{ readonly server: BootedServer; readonly restartMs: number }> {
  const startedAt = performance.now();
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const [target] = single.targets;
  if (target === undefined) throw new Error('there is no flag');
  const client = createHttpClient(t, { port: server.port });
  const { status, text } = await client.send({ path: evaluationPathOf(target, 'alpha') });
  if (status !== 200) throw new Error(`the first evaluation after a restart: ${status} ${text}`);
  return { server, restartMs: Math.round(performance.now() - startedAt) };
}

async function killWhileBooting(dataDir: string, random: Random): Promise<void> {
  const words = ['serve', '--data-dir', dataDir, '--host', '127.0.0.1', '--port', '0'];
  await killAfter(words, random.integer(0, bootMsMax));
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

async function compact(dataDir: string, random: Random, tally: Tally): Promise<void> {
  const afterMs = random.chance(0.5) ? random.integer(0, bootMsMax) : compactionEndsMs;
  const end = await killAfter(['compact', '--data-dir', dataDir], afterMs);
  if (end === 0) tally.compactions += 1;
  else if (end === 'SIGKILL' && afterMs < compactionEndsMs) tally.compactionKills += 1;
  else throw new Error(`burgee compact: it ended with ${end}`);
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

async function checkDirectory(dataDir: string, tally: Tally): Promise<void> {
  tally.checks += 1;
  const { code, stdout, stderr } = await runBurgee(['check', '--data-dir', dataDir]);
  if (code !== 0) throw new Error(`burgee check: exit ${code}\n${stdout}${stderr}`);
}

function addTotals(tally: Tally, { known, madeUnanswered }: Directory): void {
  tally.madeUnanswered += madeUnanswered;
  tally.changes += known.changes.size;
  tally.unanswered += known.unanswered.length;
  for (const denials of known.denials.values()) tally.denials += denials;
}

function countsOf(kills: number, tally: Tally): CampaignCounts {
  return {
    kills,
    'while booting': tally.bootKills,
    'second services refused': tally.secondWriters,
    compactions: tally.compactions,
    'compactions killed': tally.compactionKills,
    'acknowledged changes': tally.changes,
    'acknowledged denials': tally.denials,
    unanswered: tally.unanswered,
    'of them made': tally.madeUnanswered,
    'burgee check clean': tally.checks,
    'slowest restart': `${tally.restartMsMax} ms`,
  };
}
