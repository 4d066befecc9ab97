import { statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AdminClient, bootWithAdmin } from '../admin/admin-fixture.ts';
import { type BootedServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { eventually, expect } from '../support/expectations.ts';
import { bearer } from '../support/http-client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { type CampaignProject, provisionProject } from './campaign-project.ts';
import { growthPerHour, type Sample } from './growth.ts';
import { inMegabytes, ownBytesOf } from './resources.ts';
import { SteadyLoad } from './steady-load.ts';
import { getRequest, patchRequest, WireConnection } from './wire-connection.ts';

const readPauseMs = 100;
/** Longer than the service waits for a client that reads nothing. */
const unreadMs = 40_000;
const bytesBetweenPauses = 128 * 1024;

function askForList(port: number, secret: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/api/v1/flags', headers: bearer(secret), agent: false };
    get(options, resolve).on('error', reject);
  });
}

/** Reads a long list for seconds, during which its snapshot is kept. @returns how many flags it has */
async function readListSlowly(port: number, secret: string): Promise<number> {
  const response = await askForList(port, secret);
  const pieces: Buffer[] = [];
  let sincePause = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    sincePause += piece.length;
    if (sincePause < bytesBetweenPauses) continue;
    sincePause = 0;
    await setTimeout(readPauseMs);
  }
  const { flags } = JSON.parse(Buffer.concat(pieces).toString()) as { flags: readonly unknown[] };
  return flags.length;
}

/**
 * Requests a long list and reads nothing of it. The service drops it after half a minute at the latest.
 * @returns whether the answer was cut
 */
async function neverReads(port: number, secret: string, isOver: () => boolean): Promise<boolean> {
  const response = await askForList(port, secret);
  response.on('error', () => undefined);
  response.pause();
  const startedAt = performance.now();
  while (!isOver() && performance.now() - startedAt < unreadMs) await setTimeout(readPauseMs);
  if (isOver()) {
    response.destroy();
    return false;
  }
  response.resume();
  await new Promise((resolve) => response.once('close', resolve));
  return !response.complete;
}

/** Longer than the service keeps a snapshot for a slow client, and longer than a backup of the soak's store takes. */
const keptMsMax = 60_000;
/** The service's own commits in that time: it commits its counts every few seconds. */
const otherCommits = 2000;
const releasedWithinMs = 10_000;

interface Look {
  readonly atMs: number;
  readonly changes: number;
}

/** Watches the metrics of open snapshots: a snapshot that stays open makes the file grow with every change. */
class ReadersWatch {
  readonly #admin: AdminClient;
  readonly #workers: number;
  readonly #readersMax: number;
  readonly #looks: Look[] = [];
  mostReaders = 0;
  mostLag = 0;

  private constructor(admin: AdminClient, workers: number, readersBeside: number) {
    this.#admin = admin;
    this.#workers = workers;
    this.#readersMax = workers + readersBeside;
  }

  /** @param readersBeside readers in addition to the workers' own: those of long answers and of other processes */
  static async begin(admin: AdminClient, readersBeside: number): Promise<ReadersWatch> {
    const workers = (await admin.scrape()).value('burgee_workers_configured');
    return new ReadersWatch(admin, workers, readersBeside);
  }

  /**
   * @param changes the changes made so far.
   * @throws Error when more snapshots are open than there are readers, or one is too old
   */
  async look(changes: number): Promise<void> {
    const { readers, lag } = await this.#read();
    const atMs = performance.now();
    this.#looks.push({ atMs, changes });
    while (atMs - (this.#looks[0]?.atMs ?? atMs) > keptMsMax) this.#looks.shift();
    this.mostReaders = Math.max(this.mostReaders, readers);
    this.mostLag = Math.max(this.mostLag, lag);
    expect(readers <= this.#readersMax, `${readers} snapshots are open, not ${this.#readersMax} at most`);
    const lagMax = changes - (this.#looks[0]?.changes ?? 0) + otherCommits;
    expect(lag <= lagMax, `the oldest snapshot is ${lag} commits behind, not ${lagMax} at most`);
  }

  /** For the time after the last read. @throws Error unless soon only the workers' own snapshots are open */
  async end(): Promise<void> {
    const isReleased = async (): Promise<boolean> => (await this.#read()).readers <= this.#workers;
    await eventually(isReleased, releasedWithinMs, 'snapshots are not released');
  }

  async #read(): Promise<{ readonly readers: number; readonly lag: number }> {
    const scrape = await this.#admin.scrape();
    return {
      readers: scrape.value('burgee_store_readers'),
      lag: scrape.value('burgee_store_oldest_reader_lag_commits'),
    };
  }
}

const flagCount = 6000;
/** A list of all flags has some 12 MB, more than the sockets' buffers hold. */
const cohorts = Array.from({ length: 8 }, (_, index) => String(index).padStart(250, 'c'));
const state = { enabled: true, trafficPercentage: 100, cohorts };
/** How many flags are changed; the others keep their long cohorts. */
const changedFlags = 100;
const connections = 64;
const changers = 4;
const slowReaders = 2;
/** The slow readers, the client that never reads, a backup and its verification. */
const readersBeside = slowReaders + 3;
/** The share of a closed loop's throughput. A sample judges no figure, and leaves CPU time to other tests. */
const loadShare = { full: 0.8, sample: 0.2 };
const sampleEveryMs = 2000;
const saidEveryMs = 60_000;
const backupEveryMs = 60_000;
const millisecondsOf = { minute: 60_000, sample: 4000 };
/** Growth in this first share of the time is no leak: caches fill and code is compiled. */
const warmUpShare = 0.2;
const growthMaxBytes = 64 * 1024 * 1024;
/**
 * The limit of growth during the first evaluations, caches and compiled code included, before any other load begins. A
 * leak in evaluation shows at once: one grew by 170 MB in 20 seconds.
 */
const firstGrowthMaxBytes = 128 * 1024 * 1024;
const firstMs = { full: 20_000, sample: 500 };
/** How long the fastest rate is measured, after as long a time to warm up. */
const calibrationMs = { full: 2000, sample: 500 };
/** Audit entries are kept for ever: each change may add this much to the file. */
const bytesOfChange = 4096;
const fileSlackBytes = 128 * 1024 * 1024;

/** How many lines of the server's log a failure shows. */
const loggedMax = 20;

interface Soak extends Lifetime {
  readonly context: CampaignContext;
  readonly project: CampaignProject;
  readonly server: BootedServer;
  readonly admin: AdminClient;
  readonly counts: { changes: number; lists: number; 'cut readers': number; backups: number };
  readonly isOver: () => boolean;
}

/** Evaluations at a share of a closed loop's throughput. */
async function startLoad({ teardown, server, project, context }: Soak): Promise<SteadyLoad> {
  let pauseMs = 0;
  const load = SteadyLoad.start(
    { teardown },
    {
      port: server.port,
      connections,
      pauseMs: () => pauseMs,
      requestOf: (turn) => getRequest(`/v1/flags/${project.flags[turn % flagCount]}?targetingKey=${turn}`),
      isRight: ({ status, body }) => status === 200 && body.includes('"enabled":true'),
    },
  );
  const measuredMs = context.isFull ? calibrationMs.full : calibrationMs.sample;
  await setTimeout(measuredMs);
  load.restart();
  await setTimeout(measuredMs);
  const fastest = (load.tally.answered * 1000) / measuredMs;
  const wanted = fastest * (context.isFull ? loadShare.full : loadShare.sample);
  context.note(`${fastest.toFixed(0)} evaluations a second at most, ${wanted.toFixed(0)} from here on`);
  let seen = load.tally.answered;
  let seenAt = performance.now();
  const pace = setInterval(() => {
    const rate = ((load.tally.answered - seen) / (performance.now() - seenAt)) * 1000;
    seen = load.tally.answered;
    seenAt = performance.now();
    pauseMs = Math.max(0, pauseMs + (connections / wanted - connections / Math.max(rate, 1)) * 500);
  }, 500);
  teardown(() => clearInterval(pace));
  return load;
}

/** Only evaluations, from the start of the paced load. */
async function judgeFirstSeconds({ context, server }: Soak): Promise<void> {
  const before = ownBytesOf(server.pid);
  await setTimeout(context.isFull ? firstMs.full : firstMs.sample);
  const grown = ownBytesOf(server.pid) - before;
  context.note(`${inMegabytes(grown)} MB more after the first seconds of evaluations alone`);
  const isSmall = grown < firstGrowthMaxBytes;
  if (context.isFull) expect(isSmall, `the memory grew by ${inMegabytes(grown)} MB at once`);
}

async function changeOn({ server, project, counts, isOver }: Soak, random: Random): Promise<void> {
  const connection = await WireConnection.open(server.port);
  while (!isOver()) {
    const path = `/api/v1/flags/${project.flags[random.integer(0, changedFlags - 1)]}`;
    const chosen = new Set(Array.from({ length: 5 }, () => `cohort ${random.integer(1, 999)}`));
    const answer = await connection.ask(patchRequest(path, project.secret, { cohorts: [...chosen] }));
    expect(answer.status === 200, `a change: ${answer.status} ${answer.body}`);
    counts.changes += 1;
    await setTimeout(20);
  }
  connection.destroy();
}

async function readOn(soak: Soak): Promise<void> {
  const { server, project, counts, isOver } = soak;
  while (!isOver()) {
    const listed = await readListSlowly(server.port, project.secret);
    expect(listed === flagCount, `a slow reader got ${listed} flags, not ${flagCount}`);
    counts.lists += 1;
  }
}

async function neverReadOn({ server, project, counts, isOver }: Soak): Promise<void> {
  while (!isOver()) {
    const isCut = await neverReads(server.port, project.secret, isOver);
    if (isOver()) return;
    expect(isCut, 'a client that reads nothing for 40 s is not cut off');
    counts['cut readers'] += 1;
  }
}

/** Runs backups if this version has the command. */
async function backUpOn({ teardown, project, counts, isOver }: Soak): Promise<void> {
  const help = await runBurgee(['--help']);
  if (!/^ +backup /m.test(help.stdout)) return;
  while (!isOver()) {
    const target = join(temporaryDirectory({ teardown }), 'backup');
    const { code, stderr } = await runBurgee(['backup', target, '--data-dir', project.dataDir]);
    expect(code === 0, `a backup: ${stderr}`);
    counts.backups += 1;
    for (let waitedMs = 0; waitedMs < backupEveryMs && !isOver(); waitedMs += 500) await setTimeout(500);
  }
}

interface Watched {
  readonly memory: Sample[];
  readonly fileBytes: number;
  readonly readers: ReadersWatch;
}

async function watch(
  { server, admin, project, context, counts, isOver }: Soak,
  load: SteadyLoad,
): Promise<Watched> {
  const readers = await ReadersWatch.begin(admin, readersBeside);
  const memory: Sample[] = [];
  const file = join(project.dataDir, 'burgee.mdb');
  let saidAt = performance.now();
  while (!isOver()) {
    await setTimeout(sampleEveryMs);
    const atMs = performance.now();
    memory.push({ atMs, value: ownBytesOf(server.pid) });
    await readers.look(counts.changes);
    if (atMs - saidAt < saidEveryMs) continue;
    saidAt = atMs;
    const { answered, unavailable } = load.tally;
    const held = inMegabytes(memory.at(-1)?.value ?? 0);
    const size = inMegabytes(statSync(file).size);
    context.note(
      `${answered} evaluations (${unavailable} refused), ${counts.changes} changes: ${held} MB held, file ${size} MB`,
    );
  }
  return { memory, fileBytes: statSync(file).size, readers };
}

function judgeMemory({ context }: Soak, memory: readonly Sample[]): number {
  const warm = memory.slice(Math.floor(memory.length * warmUpShare));
  const perHour = growthPerHour(warm);
  const hours = ((warm.at(-1)?.atMs ?? 0) - (warm[0]?.atMs ?? 0)) / 3_600_000;
  const grown = perHour * hours;
  context.note(`${inMegabytes(grown)} MB more after the warm-up, ${inMegabytes(perHour)} MB an hour`);
  if (context.isFull) expect(grown < growthMaxBytes, `the memory grew by ${inMegabytes(grown)} MB`);
  return inMegabytes(perHour);
}

async function soakFor(context: CampaignContext, durationMs: number): Promise<Record<string, number>> {
  const { teardown, random } = context;
  const project = await provisionProject({ teardown }, { flags: flagCount, state });
  const booted = await bootWithAdmin({ teardown }, { dataDir: project.dataDir, settings: unlimited });
  const { server } = booted;
  const counts = { changes: 0, lists: 0, 'cut readers': 0, backups: 0 };
  let endsAt = Number.POSITIVE_INFINITY;
  const isOver = (): boolean => performance.now() > endsAt;
  const soak: Soak = { teardown, context, project, ...booted, counts, isOver };
  const fileBytesBefore = statSync(join(project.dataDir, 'burgee.mdb')).size;
  const load = await startLoad(soak);
  load.restart();
  await judgeFirstSeconds(soak);
  endsAt = performance.now() + durationMs;
  const [watched] = await Promise.all([
    watch(soak, load),
    ...Array.from({ length: changers }, (_, index) => changeOn(soak, random.fork(index))),
    ...Array.from({ length: slowReaders }, () => readOn(soak)),
    neverReadOn(soak),
    backUpOn(soak),
  ]).catch((fault: unknown) => {
    const logged = server.lines.filter((line) => !/"level":[1-3]0/.test(line)).slice(-loggedMax);
    throw new Error(`the server has logged:\n${logged.join('\n')}`, { cause: fault });
  });
  const { wrong, answered, unavailable, lost } = await load.stop();
  expect(wrong.length === 0, `wrong answers: ${wrong.join('\n')}`);
  expect(unavailable + lost === 0, `${unavailable} evaluations were refused, ${lost} lost`);
  expect(counts.changes > 0 && counts.lists > 0 && answered > 0, 'all loads continued');
  await watched.readers.end();
  const perHour = judgeMemory(soak, watched.memory);
  const grown = watched.fileBytes - fileBytesBefore;
  const grownMax = fileSlackBytes + counts.changes * bytesOfChange;
  expect(grown < grownMax, `the file grew by ${inMegabytes(grown)} MB in ${counts.changes} changes`);
  await server.stop();
  const checked = await runBurgee(['check', '--data-dir', project.dataDir]);
  expect(checked.code === 0, `the check after the end: ${checked.stdout}${checked.stderr}`);
  return {
    evaluations: answered,
    ...counts,
    'MB an hour': perHour,
    'file MB': inMegabytes(watched.fileBytes),
    'snapshots at most': watched.readers.mostReaders,
    'commits behind at most': watched.readers.mostLag,
  };
}

/** All loads at once for a long time. */
export const soak: Campaign = {
  name: 'soak',
  summary:
    'evaluations at 80 % of the capacity with changes, backups and long lists that are read slowly, for COUNT minutes: memory, file and snapshots stay bounded, nothing is answered wrongly',
  sampleCount: 1,
  fullCount: 30,
  run: (context) => {
    const { minute, sample } = millisecondsOf;
    return soakFor(context, context.count * (context.isFull ? minute : sample));
  },
};
