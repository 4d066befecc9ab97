import { setTimeout } from 'node:timers/promises';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { eventually, expect, within } from '../support/expectations.ts';
import { judgeAnswers } from './evaluator-faults.ts';
import type { ThreadStage } from './thread-stage.ts';
import { getRequest, patchRequest, WireConnection } from './wire-connection.ts';

const changers = 8;
const warmUpMs = 200;
const hungAfterMs = 60_000;
const watchIntervalMs = 1000;
/** A process whose writer died has this long to say so and to end. */
const endsWithinMs = 2000;
const strikesWithinMs = 20_000;

/** What one client knows of its flag: the last acknowledged description, and one whose answer never came. */
interface Changed {
  readonly flag: string;
  acknowledged: string | null;
  unanswered: string | null;
  refused: number;
}

/** Each client changes a flag of its own until the server is gone. */
async function changeUntilGone({ server, project }: ThreadStage, index: number): Promise<Changed> {
  const changed: Changed = {
    flag: project.flags[index] ?? '',
    acknowledged: null,
    unanswered: null,
    refused: 0,
  };
  const connection = await WireConnection.open(server.port);
  for (let turn = 1; ; turn += 1) {
    const value = `client ${index}, change ${turn}`;
    const body = { cohorts: [value] };
    const answer = await connection
      .ask(patchRequest(`/api/v1/flags/${changed.flag}`, project.secret, body))
      .catch(() => null);
    // What may or may not be applied: no answer, or one that says so. Any other 503 is a promise that it is not.
    if (answer === null || (answer.status === 503 && answer.body.includes('may have been applied'))) {
      changed.unanswered = value;
      return changed;
    }
    if (answer.status === 503) changed.refused += 1;
    else {
      expect(answer.status === 200, `a change was answered ${answer.status} ${answer.body}`);
      changed.acknowledged = value;
    }
    await setTimeout(2);
  }
}

async function judgeChanges(stage: ThreadStage, changes: readonly Changed[]): Promise<void> {
  const { dataDir, secret } = stage.project;
  const checked = await runBurgee(['check', '--data-dir', dataDir]);
  expect(checked.code === 0, `the check after the end: ${checked.stdout}${checked.stderr}`);
  const server = await bootServer(stage, { dataDir, settings: unlimited });
  const connection = await WireConnection.open(server.port);
  for (const { flag, acknowledged, unanswered } of changes) {
    const { body } = await connection.ask(getRequest(`/api/v1/flags/${flag}`, secret));
    const { cohorts } = JSON.parse(body) as { cohorts: readonly string[] };
    const stored = cohorts[0] ?? null;
    const isKnown = stored === acknowledged || (unanswered !== null && stored === unanswered);
    expect(isKnown, `${flag} has ${stored}; acknowledged ${acknowledged}, unanswered ${unanswered}`);
  }
  connection.destroy();
  await server.stop();
}

/** The report is lost when the process ends at once. */
async function struckOrGone({ server }: ThreadStage): Promise<void> {
  const isOver = async (): Promise<boolean> =>
    server.report().then(
      ({ struck }) => struck > 0,
      () => true,
    );
  await eventually(isOver, strikesWithinMs, 'the fault did not strike');
}

async function endsInOrder(stage: ThreadStage, timeoutMs: number): Promise<void> {
  const said = (): string => `the process did not end; it says:\n${stage.server.lines.slice(-5).join('\n')}`;
  const end = await within(stage.server.ended, timeoutMs, said);
  expect(end === 'SIGKILL', `the process ended with ${end}`);
  const reason = stage.server.lines.filter((line) => line.includes('the service cannot go on and ends'));
  expect(reason.length > 0, `the log does not say why:\n${stage.server.lines.slice(-5).join('\n')}`);
}

function changeAll(stage: ThreadStage): Promise<Changed[]> {
  const changes = Promise.all(Array.from({ length: changers }, (_, index) => changeUntilGone(stage, index)));
  // Looked at when the process has ended: until then a failure must not end the test.
  changes.catch(() => undefined);
  return changes;
}

export async function writerDies(stage: ThreadStage): Promise<string> {
  const { random, server, load } = stage;
  const changes = changeAll(stage);
  await setTimeout(warmUpMs);
  const kind = random.pick(['exit', 'throw-later'] as const);
  const moment = random.pick(['begun', 'durable'] as const);
  await server.arm({ kind, moment, countdown: random.integer(1, 60) }).catch(() => undefined);
  await struckOrGone(stage);
  await endsInOrder(stage, endsWithinMs);
  judgeAnswers(stage);
  expect(load.tally.unavailable === 0, 'evaluations were refused because the writer died');
  await load.stop();
  await judgeChanges(stage, await changes);
  return 'writers that died';
}

export async function writerHangs(stage: ThreadStage): Promise<string> {
  const { random, server, load, realMs } = stage;
  const changes = changeAll(stage);
  await setTimeout(warmUpMs);
  const kind = random.pick(['hang', 'spin'] as const);
  const moment = random.pick(['begun', 'durable'] as const);
  await server.arm({ kind, moment, countdown: random.integer(1, 60) });
  await struckOrGone(stage);
  await endsInOrder(stage, realMs(hungAfterMs) + 3 * watchIntervalMs + endsWithinMs);
  const silentMs = Math.round(performance.now() - load.tally.lastAnsweredAt);
  expect(silentMs < endsWithinMs, `evaluations stopped ${silentMs} ms before the process ended`);
  judgeAnswers(stage);
  expect(load.tally.unavailable === 0, 'evaluations were refused because the writer hung');
  await load.stop();
  await judgeChanges(stage, await changes);
  return 'writers that hung';
}
