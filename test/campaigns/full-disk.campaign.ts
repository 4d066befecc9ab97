import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Campaign, CampaignContext, CampaignCounts } from './campaign.ts';
import { buildDiskShim, shimEnvironment, shimTools } from './disk/disk-shim.ts';
import { makeSmallDisk, type SmallDisk } from './disk/small-disk.ts';
import type { StoredStates } from './load/judge-store.ts';
import type { RequestKind } from './load/mixed-load.ts';
import { Site } from './load/site.ts';

const MiB = 2 ** 20;
const diskBytes = 96 * MiB;
const reserveBytes = 32 * MiB;
/** An operator's command may use the reserve, apart from this. */
const operatorLeavesBytes = 8 * MiB;
const clients = 8;
const phaseMs = 500;
/** From the first refusal on: changes that were decided before it are answered by then. */
const underWayMs = 250;
const freedMsMax = 5000;
const readsTriesMax = 5;
const endsWithinMs = 5000;

interface Tally {
  evaluations: number;
  storageFull: number;
  restartsOnFullDisk: number;
  worksAgainMsMax: number;
  failedWrites: number;
  refusedCommands: number;
}

/** A site on a disk that can be filled, and what its servers need for that. */
interface Place {
  readonly disk: SmallDisk;
  readonly site: Site;
  readonly settings: Readonly<Record<string, string>>;
}

export const fullDisk: Campaign = {
  name: 'full-disk',
  summary: 'on a full disk evaluation continues and changes get 503; they work again once there is space',
  sampleCount: 4,
  fullCount: 40,
  tools: shimTools,
  async run(context) {
    const library = buildDiskShim(context);
    const tally: Tally = {
      evaluations: 0,
      storageFull: 0,
      restartsOnFullDisk: 0,
      worksAgainMsMax: 0,
      failedWrites: 0,
      refusedCommands: 0,
    };
    let kind = '';
    for (const { number, random } of context.cases()) {
      await withLifetime(async (t) => {
        const disk = makeSmallDisk(t, diskBytes);
        kind = disk.kind;
        const shim = shimEnvironment({ library, file: dataFileOf(disk.directory), control: disk.control });
        const place: Place = {
          disk,
          site: await Site.open(t, { flags: 16, dataDir: disk.directory }),
          settings: { ...shim, BURGEE_STORAGE_RESERVE_BYTES: String(reserveBytes) },
        };
        // Every fourth case: the disk refuses writes although it reports free space, as with a quota.
        if (number % 4 === 0) await refuseOnce(t, place, tally);
        else await fillOnce(t, place, random, number, tally);
      });
    }
    return countsOf(context, kind, tally);
  },
};

async function fillOnce(
  t: Lifetime,
  place: Place,
  random: Random,
  number: number,
  tally: Tally,
): Promise<void> {
  const { disk, site, settings } = place;
  const watch = new AnswerWatch();
  let server = await site.boot(t, settings);
  const load = (runName: string, isOver: () => boolean): Promise<void> =>
    site.load(t, server, {
      ...{ random, clients, isOver, runName: `case ${number}, ${runName}` },
      onAnswer: (kind, answer) => watch.take(kind, answer),
    });
  let isOver = false;
  const running = load('filling', () => isOver);
  // It is awaited below. Until then its failure must not end the run as an unhandled rejection.
  running.catch(() => undefined);
  await pause(phaseMs);
  const leftBytes = random.chance(0.5) ? 0 : random.integer(1, reserveBytes - 1);
  await disk.fill(leftBytes);
  await watch.refused;
  await pause(underWayMs);
  watch.isFull = true;
  if (leftBytes < operatorLeavesBytes) {
    await refuseCommands(t, site.dataDir);
    tally.refusedCommands += 1;
  }
  await pause(phaseMs);
  isOver = true;
  await running;
  if (random.chance(0.5)) {
    if (random.chance(0.5)) await server.stop();
    else {
      server.signal('SIGKILL');
      await server.ended;
    }
    server = await site.boot(t, settings);
    tally.restartsOnFullDisk += 1;
    const until = performance.now() + phaseMs;
    await load('restarted', () => performance.now() > until);
  }
  watch.isFull = false;
  disk.free();
  const worksAgainMs = await untilChangeWorks(t, server, site);
  tally.worksAgainMsMax = Math.max(tally.worksAgainMsMax, worksAgainMs);
  tally.evaluations += watch.evaluations;
  tally.storageFull += watch.storageFull;
  watch.conclude();
  await server.stop();
  await site.judge({ areDenialsKept: false, isChecked: true, isServed: settings });
}

/** An operator's command that writes is refused, and says why; the server goes on. */
async function refuseCommands(t: Lifetime, dataDir: string): Promise<void> {
  const file = join(temporaryDirectory(t), 'late.json');
  writeFileSync(
    file,
    JSON.stringify({ organisations: [{ name: 'Late', plan: 'enterprise', projects: [] }] }),
  );
  const { code, stderr } = await runBurgee(['apply', file, '--data-dir', dataDir]);
  if (code !== 1 || !/disk/i.test(stderr)) throw new Error(`apply on a full disk: ${code} ${stderr}`);
}

/** Every write fails although the file system reports free space: each change is a 500, and the process ends. */
async function refuseOnce(t: Lifetime, place: Place, tally: Tally): Promise<void> {
  const { disk, site, settings } = place;
  const server = await site.boot(t, settings);
  disk.control.fail({ action: 'before', error: 'ENOSPC', kinds: ['write'], passes: 0, failures: -1 });
  const answer = await site.switchFlag(createHttpClient(t, { port: server.port }));
  if (answer?.status !== 500)
    throw new Error(`a change whose write fails got ${answer?.status}: ${answer?.text}`);
  if ((await server.ended) !== 'SIGKILL') throw new Error('the server did not end in order');
  tally.failedWrites += 1;
  const restarted = await bootAndRead(t, place, await site.judge({ mayFail: true }));
  disk.control.heal();
  tally.worksAgainMsMax = Math.max(tally.worksAgainMsMax, await untilChangeWorks(t, restarted, site));
  await restarted.stop();
  await site.judge({ areDenialsKept: false, mayFail: true, isChecked: true, isServed: settings });
}

/**
 * Reads are answered on such a disk too. After some seconds of requests a server records token uses, which fails, and
 * ends in order as for any failed write. Then the next server gets the requests.
 */
async function bootAndRead(
  t: Lifetime,
  { site, settings }: Place,
  states: StoredStates,
): Promise<BootedServer> {
  for (let left = readsTriesMax; ; left -= 1) {
    const server = await site.boot(t, settings);
    try {
      await site.judgeService(createHttpClient(t, { port: server.port }), states);
      return server;
    } catch (fault) {
      const end = await Promise.race([server.ended, pause(endsWithinMs).then(() => null)]);
      if (end !== 'SIGKILL' || left === 1) throw fault;
    }
  }
}

/** Checks clients' answers against the state of the disk. @throws from `take` on a wrong answer */
class AnswerWatch {
  isFull = false;
  evaluations = 0;
  storageFull = 0;
  /** Settles with the first change that is refused because of the disk. */
  readonly refused: Promise<void>;
  #onRefused: () => void = () => undefined;
  #changesBefore = 0;
  #evaluationsWhenFull = 0;

  constructor() {
    this.refused = new Promise((resolve) => {
      this.#onRefused = resolve;
    });
  }

  take(kind: RequestKind, answer: ClientResponse | null): void {
    if (answer === null) throw new Error(`a ${kind} was not answered`);
    const isChange = kind === 'patch' || kind === 'create';
    if (!isChange) this.#takeOther(kind, answer);
    else if (answer.status === 503 && answer.text.includes('"Storage full"')) {
      this.storageFull += 1;
      this.#onRefused();
    } else if (answer.status >= 500) throw new Error(`a ${kind} got ${answer.status}: ${answer.text}`);
    else if (!this.isFull) this.#changesBefore += 1;
    else if (kind === 'create' || (JSON.parse(answer.text) as { changed: boolean }).changed) {
      throw new Error('a change was made below the reserve');
    }
  }

  #takeOther(kind: RequestKind, { status, text }: ClientResponse): void {
    if (status !== (kind === 'denial' ? 403 : 200)) throw new Error(`a ${kind} got ${status}: ${text}`);
    if (kind !== 'evaluation') return;
    this.evaluations += 1;
    if (this.isFull) this.#evaluationsWhenFull += 1;
  }

  conclude(): void {
    const seen = [this.#changesBefore, this.storageFull, this.#evaluationsWhenFull];
    if (seen.includes(0)) throw new Error(`changes, refusals and evaluations on a full disk: ${seen}`);
  }
}

async function untilChangeWorks(t: Lifetime, server: BootedServer, site: Site): Promise<number> {
  const freedAt = performance.now();
  for (;;) {
    const answer = await site.switchFlag(createHttpClient(t, { port: server.port }));
    const ms = Math.round(performance.now() - freedAt);
    if (answer?.status === 200) return ms;
    if (ms > freedMsMax) throw new Error(`${ms} ms after space returned: ${answer?.status} ${answer?.text}`);
    await pause(20);
  }
}

function countsOf({ count }: CampaignContext, kind: string, tally: Tally): CampaignCounts {
  return {
    disks: count,
    kind,
    evaluations: tally.evaluations,
    'refused as Storage full': tally.storageFull,
    'restarts on a full disk': tally.restartsOnFullDisk,
    'failed writes answered 500': tally.failedWrites,
    'commands refused': tally.refusedCommands,
    'slowest to work again': `${tally.worksAgainMsMax} ms`,
  };
}
