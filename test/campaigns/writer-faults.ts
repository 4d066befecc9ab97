import { setTimeout } from 'node:timers/promises';
import { eventually, expect, within } from '../support/expectations.ts';
import { type BusyLoad, startBusyLoad, type WorkerStage } from './worker-load.ts';

const warmUpMs = 200;
const hungAfterMs = 60_000;
const watchIntervalMs = 1000;
/** How long a process has to log that its writer died, and to end. */
const endsWithinMs = 2000;
const strikesWithinMs = 20_000;

/** The report may be lost if the process ends at once. */
async function struckOrGone({ server }: WorkerStage): Promise<void> {
  const isOver = async (): Promise<boolean> =>
    server.report().then(
      ({ struck }) => struck > 0,
      () => true,
    );
  await eventually(isOver, strikesWithinMs, 'the fault was never triggered');
}

async function endsInOrder(stage: WorkerStage, timeoutMs: number): Promise<void> {
  const said = (): string => `the process did not end; it says:\n${stage.server.lines.slice(-5).join('\n')}`;
  const end = await within(stage.server.ended, timeoutMs, said);
  expect(end === 'SIGKILL', `the process ended with ${end}`);
  const reason = stage.server.lines.filter((line) => line.includes('the service cannot go on and ends'));
  expect(reason.length > 0, `the log does not say why:\n${stage.server.lines.slice(-5).join('\n')}`);
}

async function judge(stage: WorkerStage, busy: BusyLoad): Promise<void> {
  const { load } = stage;
  await load.stop();
  await busy.stop();
  const { wrong, unavailable } = load.tally;
  expect(wrong.length === 0, `wrong answers: ${wrong.join('\n')}`);
  expect(unavailable === 0, 'evaluations were refused because the writer failed');
  // A refusal is answered even if the writer did not live to record it.
  await stage.site.judge({ areDenialsKept: false, mayFail: true, isChecked: true, isServed: {} });
}

export async function writerDies(stage: WorkerStage): Promise<string> {
  const { random, server } = stage;
  const busy = startBusyLoad(stage);
  await setTimeout(warmUpMs);
  const kind = random.pick(['exit', 'throw-later'] as const);
  const moment = random.pick(['begun', 'durable'] as const);
  await server.arm({ kind, moment, countdown: random.integer(1, 60) }).catch(() => undefined);
  await struckOrGone(stage);
  await endsInOrder(stage, endsWithinMs);
  await judge(stage, busy);
  return 'writers that died';
}

export async function writerHangs(stage: WorkerStage): Promise<string> {
  const { random, server, load, realMs } = stage;
  const busy = startBusyLoad(stage);
  await setTimeout(warmUpMs);
  const kind = random.pick(['hang', 'spin'] as const);
  const moment = random.pick(['begun', 'durable'] as const);
  await server.arm({ kind, moment, countdown: random.integer(1, 60) });
  await struckOrGone(stage);
  await endsInOrder(stage, realMs(hungAfterMs) + 3 * watchIntervalMs + endsWithinMs);
  const silentMs = Math.round(performance.now() - load.tally.lastAnsweredAt);
  expect(silentMs < endsWithinMs, `evaluations stopped ${silentMs} ms before the process ended`);
  await judge(stage, busy);
  return 'writers that hung';
}
