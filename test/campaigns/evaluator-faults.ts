import { setTimeout } from 'node:timers/promises';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { eventually, expect, within } from '../support/expectations.ts';
import type { ThreadStage } from './thread-stage.ts';
import { getRequest, WireConnection } from './wire-connection.ts';

const wholeAgainWithinMs = 1000;
const warmUpMs = 150;
/** Of the service: evaluators without progress are looked for this often, in real time. */
const watchIntervalMs = 250;
const stuckAfterMs = 3000;
const stuckMaxMs = 30_000;
/** A process that ends itself is gone, and its connections are closed, within this time. */
const goneWithinMs = 2000;

const momentsOfWork = ['turn', 'answers', 'published', 'asleep'] as const;

/** @throws unless every answer is right, or a 503, and nobody has waited beyond a deadline, in vain neither */
export function judgeAnswers({ load, realMs, requestDeadlineMs, slackMs }: ThreadStage): void {
  const { wrong, slowestMs, slowestLostMs } = load.tally;
  expect(wrong.length === 0, `wrong answers: ${wrong.join('\n')}`);
  const latestMs = realMs(requestDeadlineMs) + slackMs;
  expect(slowestMs <= latestMs, `an answer took ${Math.round(slowestMs)} ms, not ${latestMs}`);
  const inVainMs = Math.round(slowestLostMs);
  expect(inVainMs <= latestMs + goneWithinMs, `a request hung for ${inVainMs} ms and got no answer`);
}

async function struck({ server }: ThreadStage): Promise<void> {
  await eventually(async () => (await server.report()).struck > 0, 5000, 'the fault did not strike');
}

export async function evaluatorDies(stage: ThreadStage): Promise<string> {
  const { random, server, load, evaluatorThreads, connections } = stage;
  await setTimeout(warmUpMs);
  const kind = random.pick(['throw', 'exit'] as const);
  const moment = random.pick(momentsOfWork);
  await server.arm({ kind, moment, countdown: random.integer(1, moment === 'asleep' ? 5 : 200) });
  await struck(stage);
  const whole = async (): Promise<boolean> => (await server.report()).loopsBegun > evaluatorThreads;
  await eventually(whole, wholeAgainWithinMs, 'the pool is not whole again');
  await setTimeout(warmUpMs);
  const { answered } = load.tally;
  await setTimeout(warmUpMs);
  await load.stop();
  judgeAnswers(stage);
  expect(load.tally.answered > answered, 'nothing was answered after the pool was whole');
  expect(load.tally.lost === 0, `${load.tally.lost} connections were closed without an answer`);
  expect(
    load.tally.unavailable <= connections,
    `${load.tally.unavailable} were refused, not those of one batch`,
  );
  await server.stop();
  return 'evaluators that died';
}

export async function evaluatorHangsAndReturns(stage: ThreadStage): Promise<string> {
  const { random, server, load, evaluatorThreads } = stage;
  await hang(stage);
  await spareServes(stage);
  judgeAnswers(stage);
  await server.release();
  await setTimeout(stage.realMs(random.integer(0, 2000)) + watchIntervalMs);
  load.restart();
  await setTimeout(warmUpMs);
  expect(load.tally.unavailable === 0, `${load.tally.unavailable} were refused after the thread came back`);
  await load.stop();
  judgeAnswers(stage);
  const { loopsBegun } = await server.report();
  expect(loopsBegun === evaluatorThreads + 1, `${loopsBegun} evaluators were started: one too many`);
  await server.stop();
  return 'evaluators that hung and came back';
}

export async function evaluatorStaysHung(stage: ThreadStage): Promise<string> {
  const { server, load, realMs, project } = stage;
  await hang(stage);
  const hungAt = performance.now();
  await spareServes(stage);
  const endsWithinMs = realMs(stuckMaxMs) + 4 * watchIntervalMs + 2000;
  const end = await within(server.ended, endsWithinMs, () => 'a process with a stuck evaluator did not end');
  expect(end === 'SIGKILL', `the process ended with ${end}`);
  const borneMs = performance.now() - hungAt;
  expect(borneMs > realMs(stuckMaxMs) * 0.8, `the process ended after ${Math.round(borneMs)} ms already`);
  const reason = server.lines.filter((line) => line.includes('the service cannot go on and ends'));
  expect(
    reason.some((line) => line.includes('stuck')),
    `the log does not say why: ${reason.join('\n')}`,
  );
  await load.stop();
  judgeAnswers(stage);
  await restartsClean(stage, project.dataDir);
  return 'evaluators that stayed hung';
}

async function hang(stage: ThreadStage): Promise<void> {
  await setTimeout(warmUpMs);
  const kind = stage.random.pick(['hang', 'spin'] as const);
  const moment = stage.random.pick(['turn', 'answers', 'published'] as const);
  await stage.server.arm({ kind, moment, countdown: stage.random.integer(1, 200) });
  await struck(stage);
}

/** By then the spare has the place of the evaluator that hangs, and everything is answered again. */
async function spareServes({
  server,
  load,
  realMs,
  requestDeadlineMs,
  evaluatorThreads,
}: ThreadStage): Promise<void> {
  const takenOutWithinMs = realMs(Math.max(requestDeadlineMs, stuckAfterMs)) + 2 * watchIntervalMs;
  const whole = async (): Promise<boolean> => (await server.report()).loopsBegun > evaluatorThreads;
  await eventually(whole, takenOutWithinMs + wholeAgainWithinMs, 'no spare took the place');
  const { unavailable, answered } = load.tally;
  await setTimeout(warmUpMs);
  expect(load.tally.unavailable === unavailable, 'requests are refused although the spare serves');
  expect(load.tally.answered > answered, 'nothing is answered although the spare serves');
  expect(unavailable > 0, 'no request of the evaluator that hangs was refused at its deadline');
  expect(load.tally.lost === 0, `${load.tally.lost} connections were closed without an answer`);
}

/** The process is stopped for longer than a hang takes to be noticed: nobody hung. */
export async function processStands(stage: ThreadStage): Promise<string> {
  const { server, load, realMs, requestDeadlineMs } = stage;
  for (let round = 1; round <= 2; round += 1) {
    await setTimeout(warmUpMs);
    server.signal('SIGSTOP');
    await setTimeout(realMs(Math.max(requestDeadlineMs, stuckAfterMs) * 1.5));
    server.signal('SIGCONT');
    await setTimeout(2 * watchIntervalMs);
  }
  const { answered } = load.tally;
  await setTimeout(warmUpMs);
  expect(load.tally.answered > answered, 'nothing is answered after the process stood');
  await load.stop();
  expect(load.tally.wrong.length === 0, load.tally.wrong.join('\n'));
  const blamed = server.lines.filter((line) => line.includes('makes no progress'));
  expect(blamed.length === 0, `an evaluator was taken for stuck: ${blamed.join('\n')}`);
  await server.stop();
  return 'processes that stood';
}

/** As a process manager does it. @throws unless the data are clean and everything is answered */
export async function restartsClean(stage: ThreadStage, dataDir: string): Promise<void> {
  const checked = await runBurgee(['check', '--data-dir', dataDir]);
  expect(checked.code === 0, `the check after the end: ${checked.stdout}${checked.stderr}`);
  const server = await bootServer(stage, { dataDir, settings: unlimited });
  const connection = await WireConnection.open(server.port);
  const [flag] = stage.project.flags;
  const evaluated = await connection.ask(getRequest(`/v1/flags/${flag}?targetingKey=1`));
  expect(evaluated.status === 200, `after the restart: ${evaluated.status}`);
  connection.destroy();
  await server.stop();
}
