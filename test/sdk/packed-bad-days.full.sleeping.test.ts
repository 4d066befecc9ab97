import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import type { BurgeeClient, ClientStatus } from '../../src/sdk/burgee-client.ts';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { BootedService, randomDocument } from './booted-service.ts';
import { builtClient, entriesOf, importClient, installClient } from './client-package.ts';
import { FaultyProxy, type ProxyFault } from './faulty-proxy.ts';
import type { AnswerLine, AskingTask } from './programs/answering-processes.ts';
import { runProgram } from './programs/run-program.ts';
import { until, untilStatus } from './wire/wire-client.ts';

/*
 * Bad days of the packed client, with the timings of a program and a real service: all at the same time, because most of
 * them wait for 45 seconds without a byte. `bad-days` tries more of them, faster, with a server that has them on demand.
 */
t.setTimeout(400_000);

const random = createRandom(5);
/** After the change that some clients miss, and after all is well again. */
const missed = 'missed';
const later = 'later';

const directory = temporaryDirectory(t);
installClient(builtClient, directory);
const module = pathToFileURL(entriesOf(directory)).href;
const { connect } = await importClient(directory);

/** Long enough for a start on a busy machine. */
const lifetimeMs = 40_000;
const expiresAt = Date.now() + lifetimeMs;
const document = randomDocument(random, 60) as {
  organisations: { projects: { tokens: object[] }[] }[];
};
document.organisations[0]?.projects[0]?.tokens.push({ name: 'expiring', permission: 'read', expiresAt });
const service = await BootedService.boot(t, document);
const questions = service.randomQuestions(random, 1000);
const answersOf = (client: BurgeeClient): string =>
  questions.map(([flag, context]) => Number(client.isOn(flag, context, false))).join('');

/** One client's bad day. */
interface Day {
  readonly name: string;
  readonly client: BurgeeClient;
  /** What the client says of it. */
  readonly status: ClientStatus;
  /** Whether it nevertheless hears of a change meanwhile. */
  readonly hears: boolean;
  begin(): void;
  end(): void;
}

async function connected(t: Test, options: object): Promise<BurgeeClient> {
  const client = await connect({ ...service.options, ...options });
  t.teardown(() => client.close());
  return client;
}

async function behindProxy(t: Test, fault: ProxyFault, hears = false): Promise<Day> {
  const proxy = await new FaultyProxy(() => service.server.port).start(t);
  const client = await connected(t, { url: proxy.url });
  return {
    ...{ name: `a proxy: ${fault}`, client, status: 'stale', hears },
    begin: () => proxy.set(fault),
    end: () => proxy.set('none'),
  };
}

async function withExpiringToken(t: Test): Promise<Day> {
  let secret = service.secret('expiring');
  const client = await connected(t, { token: () => secret });
  return {
    ...{ name: 'a token that expires', client, status: 'error', hears: false },
    begin: () => undefined,
    end: () => {
      secret = service.secret('read');
    },
  };
}

async function change(cohort: string): Promise<void> {
  for (const flag of service.flagIds.slice(0, 10)) {
    await service.patch(flag, {
      enabled: true,
      trafficPercentage: random.integer(0, 100),
      cohorts: [cohort],
    });
  }
}

const hasHeard = (client: BurgeeClient, cohort: string): boolean =>
  service.flagIds.slice(0, 10).every((flag) => client.isOn(flag, { cohort }, false));

t.test('proxies that buffer, cut, stall or answer by themselves, and a token that expires', async (t) => {
  const days = await Promise.all([
    behindProxy(t, 'buffers', true),
    behindProxy(t, 'cuts'),
    behindProxy(t, 'stalls'),
    behindProxy(t, '502'),
    behindProxy(t, 'html'),
    withExpiringToken(t),
  ]);
  const before = await service.answersTo(questions);
  for (const { name, client } of days) {
    t.equal(client.status, 'ready', name);
    t.equal(answersOf(client), before, name);
  }
  for (const { begin } of days) begin();
  await Promise.all(
    days.filter(({ status }) => status === 'error').map(({ client }) => untilStatus(client, 'error')),
  );
  await change(missed);
  const meanwhile = await service.answersTo(questions);
  t.not(meanwhile, before);
  await Promise.all(
    days.map(async ({ name, client, status, hears }) => {
      await until(client, () => client.status === status && (!hears || hasHeard(client, missed)));
      t.equal(answersOf(client), hears ? meanwhile : before, `${name}: ${client.why}`);
    }),
  );
  for (const { end } of days) end();
  await change(later);
  await Promise.all(
    days.map(({ client }) => until(client, () => client.status === 'ready' && hasHeard(client, later))),
  );
  const after = await service.answersTo(questions);
  for (const { name, client } of days)
    t.equal(answersOf(client), after, `${name}: the answers are the service's`);
});

t.test('an event loop that stands still for a minute, and a clock that jumps', async (t) => {
  const task: AskingTask = { options: service.options, questions };
  const file = join(directory, 'task.json');
  writeFileSync(file, JSON.stringify(task));
  const programs = [0, 1].map(() => runProgram(t, 'odd-process', [module, file]));
  const [still, jumping] = programs as [(typeof programs)[0], (typeof programs)[0]];
  const expectAnswers = async (program: typeof still, what: string): Promise<void> => {
    const expected = await service.answersTo(questions);
    await program.lineCount((line) => {
      const { status, answers } = JSON.parse(line) as AnswerLine;
      return status === 'ready' && answers === expected;
    }, 1);
    t.pass(what);
  };
  for (const program of programs) await expectAnswers(program, 'at the start');
  const years = 10 * 365 * 24 * 3600 * 1000;
  still.child.stdin?.write('still 60000\n');
  const standingSince = performance.now();
  for (const ms of [years, -years]) {
    jumping.child.stdin?.write(`jump ${ms}\n`);
    await change(`jumped by ${ms}`);
    await expectAnswers(jumping, `a clock that jumped by ${ms} ms`);
  }
  for (let round = 0; round < 40; round += 1) await change(`round ${round}`);
  await expectAnswers(still, 'an event loop that stood still');
  t.ok(performance.now() - standingSince >= 55_000, 'it stood still meanwhile');
  for (const program of programs) program.child.stdin?.end();
  await Promise.all(programs.map(({ child }) => (child.exitCode === null ? once(child, 'exit') : null)));
});
