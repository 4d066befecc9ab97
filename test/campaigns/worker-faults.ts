import { setTimeout } from 'node:timers/promises';
import { eventually, expect, within } from '../support/expectations.ts';
import type { FaultKind, Moment } from '../support/tampering/tampering.ts';
import { stillTaken } from './resources.ts';
import { getRequest, WireConnection } from './wire-connection.ts';
import { type BusyLoad, startBusyLoad, type WorkerStage } from './worker-load.ts';

const wholeAgainWithinMs = 1000;
/** If several workers leave at once, all but one wait for a new thread to load. */
const loadedWithinMs = 4000;
const filledWithinMs = 60_000;
const warmUpMs = 150;
/** The service checks heartbeats at this interval of real time. */
const watchIntervalMs = 250;
const stuckAfterMs = 3000;
const stuckMaxMs = 30_000;
/** Time limit until a fault is triggered. */
const strikesWithinMs = 10_000;
/** New connections for each worker while one worker hangs. */
const newcomers = 12;

/** Answers after a fault before resources are judged: enough to show one that is not given back. */
const answersAfterwards = 100;

/** Faults after which a worker leaves in order. A request whose evaluation throws is answered 500 instead. */
const deaths: readonly (readonly [FaultKind, Moment])[] = [
  ['throw', 'beat'],
  ['throw-later', 'request'],
  ['reject', 'request'],
  ['throw', 'change'],
  ['throw-later', 'change'],
  ['reject', 'beat'],
];

async function struck({ server }: WorkerStage, threads = 1): Promise<void> {
  const isStruck = async (): Promise<boolean> => (await server.report()).struck >= threads;
  await eventually(isStruck, strikesWithinMs, 'the fault was never triggered');
}

async function arm({ server, random }: WorkerStage, kind: FaultKind, moment: Moment): Promise<void> {
  const latest = { beat: 3, change: 20, request: 200 }[moment as 'beat' | 'change' | 'request'];
  await server.arm({ kind, moment, countdown: random.integer(1, latest) });
}

async function wholeAgain(stage: WorkerStage, replacements: number, withinMs: number): Promise<void> {
  const isWhole = async (): Promise<boolean> => {
    const scrape = await stage.admin.scrape();
    const workers = scrape.value('burgee_workers');
    return workers === stage.workers && scrape.value('burgee_worker_replacements_total') === replacements;
  };
  await eventually(isWhole, withinMs, 'the pool is not complete again');
}

/** Answers keep coming and are right; the clients' changes are stored; a dead worker's resources are given back. */
async function judge(stage: WorkerStage, busy: BusyLoad, areDenialsKept = true): Promise<void> {
  const { load, connections, workers, server } = stage;
  const [answered, seen] = [load.tally.answered, busy.seen()];
  const goOn = (): boolean =>
    load.tally.answered > answered + connections && busy.seen() > seen + answersAfterwards;
  await eventually(goOn, 20_000, 'no more answers come');
  await load.stop();
  await busy.stop();
  const { wrong, lost, unavailable } = load.tally;
  expect(wrong.length === 0, `wrong answers: ${wrong.join('\n')}`);
  expect(unavailable === 0, `${unavailable} evaluations were refused`);
  const share = Math.ceil(connections / workers) * 2;
  expect(lost <= share, `${lost} connections were cut, more than one worker had`);
  await eventually(() => isAtRest(stage), 5000, 'some resources are never given back');
  await server.stop();
  await stage.site.judge({ areDenialsKept });
}

async function isAtRest({ admin }: WorkerStage): Promise<boolean> {
  return stillTaken(await admin.scrape()) === '';
}

export async function workerDies(stage: WorkerStage): Promise<string> {
  const busy = startBusyLoad(stage);
  await setTimeout(warmUpMs);
  const [kind, moment] = stage.random.pick(deaths);
  await arm(stage, kind, moment);
  await struck(stage);
  await wholeAgain(stage, 1, wholeAgainWithinMs);
  await judge(stage, busy);
  return 'workers that died';
}

export async function allWorkersDie(stage: WorkerStage): Promise<string> {
  const busy = startBusyLoad(stage);
  await setTimeout(warmUpMs);
  const threads = stage.workers;
  await stage.server.arm({ kind: 'throw', moment: 'beat', countdown: 1, threads });
  await struck(stage, threads);
  await wholeAgain(stage, threads, loadedWithinMs);
  await judge({ ...stage, workers: 1 }, busy);
  return 'times that all workers died';
}

export async function workerFillsUp(stage: WorkerStage): Promise<string> {
  const busy = startBusyLoad(stage);
  await setTimeout(warmUpMs);
  await arm(stage, 'exhaust', stage.random.pick(['beat', 'request', 'change']));
  await struck(stage);
  const { lines } = stage.server;
  const leaves = (): boolean => lines.some((line) => line.includes('its heap is nearly full'));
  await Promise.race([
    eventually(leaves, filledWithinMs, 'a worker whose heap fills up does not leave'),
    stage.server.ended.then((end) =>
      expect(false, `the process ended with ${end}: ${lines.slice(-9).join('\n')}`),
    ),
  ]);
  await wholeAgain(stage, 1, wholeAgainWithinMs);
  await judge(stage, busy);
  return 'heaps that filled up';
}

/** A worker dies while the process drains. The process ends as without the fault, and completes every begun answer. */
export async function workerDiesInDrain(stage: WorkerStage): Promise<string> {
  const { server, load, random } = stage;
  const busy = startBusyLoad(stage);
  await setTimeout(warmUpMs);
  await server.arm({ kind: 'throw', moment: 'beat', countdown: random.integer(1, stage.workers) });
  await setTimeout(random.integer(0, 300));
  server.signal('SIGTERM');
  const end = await within(server.ended, 15_000, () => `no end:\n${server.lines.slice(-5).join('\n')}`);
  expect(end === 0, `the process ended with ${end}:\n${server.lines.slice(-5).join('\n')}`);
  await load.stop();
  await busy.stop();
  expect(load.tally.wrong.length === 0, `wrong answers: ${load.tally.wrong.join('\n')}`);
  await stage.site.judge();
  return 'workers that died in a drain';
}

export async function workerHangsAndReturns(stage: WorkerStage): Promise<string> {
  const { random, server, admin, workers } = stage;
  const busy = startBusyLoad(stage);
  await hang(stage);
  await spareServes(stage);
  await setTimeout(stage.realMs(random.integer(0, 2000)));
  await server.release();
  const isReady = async (): Promise<boolean> => (await admin.get('/ready')).status === 200;
  await eventually(isReady, 5000, 'the worker that came back does not leave');
  const { workersBegun } = await server.report();
  expect(workersBegun === workers + 1, `${workersBegun} workers were started: one too many`);
  await judge(stage, busy);
  return 'workers that hung and came back';
}

export async function workerStaysHung(stage: WorkerStage): Promise<string> {
  const { server, load, realMs } = stage;
  const busy = startBusyLoad(stage);
  await hang(stage);
  const hungAt = performance.now();
  await spareServes(stage);
  const endsWithinMs = realMs(stuckMaxMs) + 4 * watchIntervalMs + 2000;
  const end = await within(server.ended, endsWithinMs, () => 'a process with a hung worker did not end');
  expect(end === 'SIGKILL', `the process ended with ${end}`);
  const borneMs = performance.now() - hungAt;
  expect(borneMs > realMs(stuckMaxMs) * 0.8, `the process ended after ${Math.round(borneMs)} ms already`);
  const reason = server.lines.filter((line) => line.includes('the service cannot go on and ends'));
  expect(
    reason.some((line) => line.includes('stuck')),
    `the log does not say why: ${reason.join('\n')}`,
  );
  await load.stop();
  await busy.stop();
  expect(load.tally.wrong.length === 0, `wrong answers: ${load.tally.wrong.join('\n')}`);
  await stage.site.judge({ isChecked: true, isServed: {} });
  return 'workers that stayed hung';
}

async function hang(stage: WorkerStage): Promise<void> {
  await setTimeout(warmUpMs);
  const kind = stage.random.pick(['hang', 'spin'] as const);
  await arm(stage, kind, stage.random.pick(['request', 'beat', 'change']));
  await struck(stage);
}

/** Once a hang is noticed a spare serves every new connection, and /ready says what is wrong. */
async function spareServes(stage: WorkerStage): Promise<void> {
  const { server, admin, steady, realMs, requestDeadlineMs, workers } = stage;
  const noticedWithinMs = realMs(Math.max(requestDeadlineMs, stuckAfterMs)) + 4 * watchIntervalMs;
  await wholeAgain(stage, 1, noticedWithinMs + wholeAgainWithinMs + stage.slackMs);
  const { status, text } = await admin.get('/ready');
  expect(status === 503 && text.includes('"failing":["workers"]'), `/ready: ${status} ${text}`);
  const served = Array.from({ length: newcomers * workers }, async (): Promise<void> => {
    const connection = await WireConnection.open(server.port);
    const answer = await connection.ask(getRequest(`/v1/flags/${steady[0]?.flagId}`));
    expect(answer.status === 200, `a new connection got ${answer.status} ${answer.body}`);
    connection.destroy();
  });
  await within(Promise.all(served), 2000, () => 'new connections wait for a worker that hangs');
}

/**
 * The process is stopped for longer than the time after which a thread counts as hung. No worker may be taken for hung.
 */
export async function processStands(stage: WorkerStage): Promise<string> {
  const { server, realMs, requestDeadlineMs, workers } = stage;
  const busy = startBusyLoad(stage);
  for (let round = 1; round <= 2; round += 1) {
    await setTimeout(warmUpMs);
    server.signal('SIGSTOP');
    await setTimeout(realMs(Math.max(requestDeadlineMs, stuckAfterMs) * 1.5));
    server.signal('SIGCONT');
    await setTimeout(2 * watchIntervalMs);
  }
  const blamed = server.lines.filter((line) => line.includes('makes no progress'));
  expect(blamed.length === 0, `a worker was taken for stuck: ${blamed.join('\n')}`);
  const { workersBegun } = await server.report();
  expect(workersBegun === workers, `${workersBegun} workers were started`);
  // What waited for the writer is past its deadline: refusals are answered, and not recorded.
  await judge(stage, busy, false);
  return 'processes that stood';
}
