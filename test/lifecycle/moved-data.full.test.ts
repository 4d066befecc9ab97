import { closeSync, cpSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import t, { type Test } from 'tap';
import { wantedByte } from '../../src/storage/lmdb/opening-gate.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type Provisioned, provisionOne } from './lifecycle-fixture.ts';

/*
 * An operator moves, removes or replaces the data while the service runs. Changes written to a moved or removed file
 * must not be acknowledged, because they would be lost when the process ends.
 */
t.setTimeout(120_000);

interface Stage extends Provisioned {
  readonly server: BootedServer;
  patch(cohort: string): Promise<ClientResponse>;
  evaluate(): Promise<ClientResponse>;
}

async function setUp(t: Test): Promise<Stage> {
  const provisioned = await provisionOne(t);
  // A change may wait behind others that wait for the data file.
  const settings = { ...unlimited, BURGEE_REQUEST_DEADLINE_MS: '20000' };
  const server = await bootServer(t, { dataDir: provisioned.dataDir, settings });
  return stageOf(t, provisioned, server);
}

function stageOf(t: Test, provisioned: Provisioned, server: BootedServer): Stage {
  const { flag, secret } = provisioned;
  const client = createHttpClient(t, { port: server.port });
  return {
    ...provisioned,
    server,
    patch: (cohort) =>
      client.send({
        method: 'PATCH',
        path: `/api/v1/flags/${flag}`,
        headers: bearer(secret),
        body: JSON.stringify({ enabled: true, cohorts: [cohort] }),
      }),
    evaluate: () => client.send({ method: 'GET', path: `/v1/flags/${flag}?targetingKey=a` }),
  };
}

interface Refusal {
  readonly answered: string;
  readonly logged: string;
}

const isMoved: Refusal = {
  answered: 'was moved, removed or replaced, so changes are refused. Nothing was applied.',
  logged: 'was moved, removed or replaced while it was in use',
};
const isHeld: Refusal = {
  answered:
    'is opening the data file of the service and does not finish, so changes are refused. Nothing was applied.',
  logged: 'and does not finish, so nothing can be written',
};

async function isRefused(t: Test, { patch, evaluate, server }: Stage, why = isMoved): Promise<void> {
  for (const cohort of ['first', 'second']) {
    const { status, headers, text } = await patch(cohort);
    t.equal(status, 503);
    t.match(text, why.answered);
    t.equal(headers.get('retry-after'), '1');
  }
  const evaluated = await evaluate();
  t.equal(evaluated.status, 200);
  t.match(evaluated.text, '"enabled":true', 'evaluation continues with the acknowledged state');
  const tells = (line: string): boolean => line.includes(why.logged);
  await server.line(tells);
  const told = server.lines.filter(tells);
  t.equal(told.length, 1, 'the log reports it once');
}

/** @returns the stored cohorts that a new server finds */
async function storedCohorts(t: Test, { dataDir, flag, secret }: Stage): Promise<unknown> {
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port });
  const { text } = await client.send({
    method: 'GET',
    path: `/api/v1/flags/${flag}`,
    headers: bearer(secret),
  });
  await server.stop();
  return (JSON.parse(text) as { cohorts: unknown }).cohorts;
}

type Mistake = (dataDir: string, aside: string) => () => void;

/** Each takes the data away, and returns a function that puts it back. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'the directory is moved': (dataDir, aside) => {
    renameSync(dataDir, aside);
    return () => renameSync(aside, dataDir);
  },
  'the data file is moved': (dataDir, aside) => {
    const file = join(dataDir, 'burgee.mdb');
    renameSync(file, aside);
    return () => renameSync(aside, file);
  },
  'a copy is put in its place': (dataDir, aside) => {
    renameSync(dataDir, aside);
    cpSync(aside, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    return () => {
      rmSync(dataDir, { recursive: true });
      renameSync(aside, dataDir);
    };
  },
};

/** A command that is stopped while it opens the data file holds this lock. */
const opening: Mistake = (dataDir) => {
  const descriptor = openSync(join(dataDir, 'burgee.mdb'), 'r');
  if (!tryLock(descriptor, wantedByte, 1, { shared: true })) throw new Error('the file is locked already');
  return () => closeSync(descriptor);
};

function testMistake(name: string, make: Mistake, why: Refusal): void {
  t.test(`${name}: changes are refused until it ends`, async (t) => {
    const stage = await setUp(t);
    t.equal((await stage.patch('before')).status, 200);
    const putBack = make(stage.dataDir, join(temporaryDirectory(t), 'aside'));
    await isRefused(t, stage, why);
    putBack();
    t.equal((await stage.patch('after')).status, 200);
    await stage.server.line((line) => line.includes('the data file is available again'));
    await stage.server.stop();
    t.strictSame(await storedCohorts(t, stage), ['after']);
  });
}

for (const [name, make] of Object.entries(mistakes)) testMistake(name, make, isMoved);
testMistake('a command is stopped while it opens the data file', opening, isHeld);

t.test('the directory is removed: changes are refused, and the service still stops in order', async (t) => {
  const stage = await setUp(t);
  t.equal((await stage.patch('before')).status, 200);
  rmSync(stage.dataDir, { recursive: true });
  await isRefused(t, stage);
  await stage.server.stop();
});

t.test('a worker that replaces another meanwhile serves nothing of the copy', async (t) => {
  const provisioned = await provisionOne(t);
  const { dataDir } = provisioned;
  const old = join(temporaryDirectory(t), 'old');
  cpSync(dataDir, old, { recursive: true });
  const settings = { ...unlimited, BURGEE_WORKERS: '1' };
  const server = await bootTampered(t, { dataDir, settings });
  const { evaluate, patch } = stageOf(t, provisioned, server);
  t.equal((await patch('a cohort')).status, 200);
  const aside = join(temporaryDirectory(t), 'aside');
  renameSync(dataDir, aside);
  renameSync(old, dataDir);

  await server.arm({ kind: 'throw', moment: 'beat', countdown: 1 });
  await server.line((line) => line.includes('a worker leaves and is replaced'));
  await server.line((line) => line.includes('a worker could not be started'));
  // The last serving worker stays for a moment, with the file that it has opened.
  const isRefused = async (): Promise<boolean> => {
    const { status, text } = await evaluate();
    if (status === 200) t.match(text, '"enabled":true');
    return status === 503;
  };
  await eventually(isRefused, 5000, 'the worker that leaves still answers');
  for (let turn = 0; turn < 20; turn += 1) t.equal((await evaluate()).status, 503);

  renameSync(dataDir, old);
  renameSync(aside, dataDir);
  const isBack = async (): Promise<boolean> => (await evaluate()).status === 200;
  await eventually(isBack, 10_000, 'no worker serves again');
  t.match((await evaluate()).text, '"enabled":true');
  await server.stop();
});

t.test('a command through the service is refused with what to do', async (t) => {
  const stage = await setUp(t);
  const aside = join(temporaryDirectory(t), 'aside');
  renameSync(join(stage.dataDir, 'burgee.mdb'), aside);
  const revoke = ['token', 'revoke', stage.tokenId, '--data-dir', stage.dataDir];
  const refused = await runBurgee(revoke);
  t.equal(refused.code, 1);
  t.match(
    refused.stderr,
    'was moved, removed or replaced while it was in use, so changes are refused (ENOENT',
  );
  renameSync(aside, join(stage.dataDir, 'burgee.mdb'));
  t.equal((await runBurgee(revoke)).code, 0);
  t.equal((await stage.patch('late')).status, 401);
  await stage.server.stop();
});
