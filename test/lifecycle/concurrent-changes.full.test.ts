import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject, type Provisioned, provisionOne } from './lifecycle-fixture.ts';

/*
 * 64 clients patch one flag while 8 evaluate it. Every patch sets a list of one cohort that no other patch sets, so that
 * an evaluation for a cohort says whether that patch's list is the current one. `updatedAt` gives the commit order.
 */
t.setTimeout(120_000);
const patchers = 64;
const patchesEach = 25;
const evaluators = 8;
const ownChangesEach = 200;

interface Patch {
  readonly cohort: string;
  readonly updatedAt: number;
}

interface Race {
  readonly server: BootedServer;
  readonly provisioned: Provisioned;
  /** Acknowledged patches in the order of their acknowledgements. */
  readonly acknowledged: Patch[];
  /** The acknowledged patch that was committed last, and the one before it in commit order. */
  latest: Patch | null;
  superseded: Patch | null;
  isOver: boolean;
}

t.test('64 clients patch one flag while 8 evaluate it', async (t) => {
  const provisioned = await provisionOne(t);
  const server = await bootServer(t, { dataDir: provisioned.dataDir, settings: unlimited });
  const race: Race = { server, provisioned, acknowledged: [], latest: null, superseded: null, isOver: false };
  const client = createHttpClient(t, { port: server.port });
  await client.send({ ...patchOf(provisioned), body: '{"enabled":true,"trafficPercentage":0}' });

  const evaluations = Array.from({ length: evaluators }, () => evaluateMeanwhile(t, race));
  const wrong = await Promise.all(
    Array.from({ length: patchers }, (_, number) => patchRepeatedly(t, race, number)),
  );
  race.isOver = true;
  t.same(wrong.flat(), [], 'each answer shows its own change, later than the one before it');
  const stale = (await Promise.all(evaluations)).flat();
  t.same(stale, [], 'no evaluation failed or saw a list that an acknowledged change had replaced');

  t.equal(race.acknowledged.length, patchers * patchesEach);
  const times = race.acknowledged.map(({ updatedAt }) => updatedAt);
  t.equal(new Set(times).size, times.length, 'updatedAt is different for every change');
  const last = race.acknowledged.reduce((one, other) => (other.updatedAt > one.updatedAt ? other : one));
  const stored = await client.send({ path: patchOf(provisioned).path, headers: bearer(provisioned.secret) });
  t.match(JSON.parse(stored.text), { cohorts: [last.cohort], updatedAt: last.updatedAt });
  await server.stop();
});

t.test('eight connections see every acknowledged change at once', async (t) => {
  const provisioned = await provisionOne(t);
  const { flag, projectId } = provisioned;
  const server = await bootServer(t, { dataDir: provisioned.dataDir, settings: unlimited });
  const writer = createHttpClient(t, { port: server.port });
  const readers = Array.from({ length: evaluators }, () => createHttpClient(t, { port: server.port }));
  const wrong: string[] = [];
  for (let round = 0; round < 250; round += 1) {
    const enabled = round % 2 === 0;
    const answer = await writer.send({ ...patchOf(provisioned), body: JSON.stringify({ enabled }) });
    if (answer.status !== 200) wrong.push(`round ${round}: the change got ${answer.status}`);
    const path =
      round % 5 === 4 ? `/v1/flags/project/${projectId}` : `/v1/flags/${flag}?targetingKey=${round}`;
    const seen = await Promise.all(readers.map((reader) => reader.send({ path })));
    for (const { text } of seen) {
      if (!text.includes(`"enabled":${enabled}`)) wrong.push(`round ${round}: ${path} gave ${text}`);
    }
  }
  t.same(wrong, []);
  await server.stop();
});

t.test('64 clients each see their own change at once, while all of them change and evaluate', async (t) => {
  const dataDir = temporaryDirectory(t);
  const names = Array.from({ length: patchers }, (_, number) => `flag-${number}`);
  const document = oneProject('harbour', {
    flags: names.map((name) => ({ name, trafficPercentage: 100 })),
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const { secret } = tokenOf(project, 'ci');
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const stale: string[] = [];
  const changeAndLook = async (name: string): Promise<void> => {
    const client = createHttpClient(t, { port: server.port });
    const flag = idOf(project.flags, name);
    for (let turn = 0; turn < ownChangesEach; turn += 1) {
      const enabled = turn % 2 === 0;
      const body = JSON.stringify({ enabled });
      await client.send({ method: 'PATCH', path: `/api/v1/flags/${flag}`, headers: bearer(secret), body });
      const { text } = await client.send({ path: `/v1/flags/${flag}` });
      if (!text.includes(`"enabled":${enabled}`)) stale.push(`${name}, change ${turn}: ${text}`);
    }
  };
  await Promise.all(names.map(changeAndLook));
  t.same(stale, []);
  await server.stop();
});

/** @returns the wrong answers */
async function patchRepeatedly(t: Test, race: Race, number: number): Promise<string[]> {
  const wrong: string[] = [];
  const client = createHttpClient(t, { port: race.server.port });
  let previous = 0;
  for (let turn = 0; turn < patchesEach; turn += 1) {
    const cohort = `client-${number}-${turn}`;
    const body = JSON.stringify({ cohorts: [cohort] });
    const { status, text } = await client.send({ ...patchOf(race.provisioned), body });
    if (status !== 200) return [...wrong, `${cohort}: ${status} ${text}`];
    const { changed, flag } = JSON.parse(text) as {
      changed: boolean;
      flag: { cohorts: string[]; updatedAt: number };
    };
    const isRight = changed && flag.cohorts.join() === cohort && flag.updatedAt > previous;
    if (!isRight) wrong.push(`${cohort}, after ${previous}: ${text}`);
    previous = flag.updatedAt;
    acknowledge(race, { cohort, updatedAt: previous });
  }
  return wrong;
}

function acknowledge(race: Race, patch: Patch): void {
  race.acknowledged.push(patch);
  if (race.latest !== null && patch.updatedAt < race.latest.updatedAt) race.superseded = patch;
  else {
    race.superseded = race.latest;
    race.latest = patch;
  }
}

/**
 * Evaluates in turns for a cohort whose list is certainly replaced (it must not match) and for that of the last
 * acknowledged list (it must match, unless a later change was committed before the answer came). @returns the stale
 * answers
 */
async function evaluateMeanwhile(t: Test, race: Race): Promise<string[]> {
  const client = createHttpClient(t, { port: race.server.port });
  const stale: string[] = [];
  const unproved: Patch[] = [];
  for (let turn = 0; !race.isOver; turn += 1) {
    const patch = turn % 2 === 0 ? race.superseded : race.latest;
    const isReplaced = turn % 2 === 0;
    const path = `/v1/flags/${race.provisioned.flag}?cohort=${patch?.cohort ?? 'nobody'}`;
    const { status, text } = await client.send({ path });
    if (status !== 200) return [...stale, `${status} ${text}`];
    const { enabled } = JSON.parse(text) as { enabled: boolean };
    if (patch === null) continue;
    if (isReplaced && enabled) stale.push(`${patch.cohort} was replaced and still matched`);
    if (!isReplaced && !enabled) unproved.push(patch);
  }
  const last = race.latest?.updatedAt ?? 0;
  for (const { cohort, updatedAt } of unproved) {
    if (updatedAt === last) stale.push(`${cohort} was committed last and did not match`);
  }
  return stale;
}

function patchOf({ flag, secret }: Provisioned): {
  method: string;
  path: string;
  headers: Record<string, string>;
} {
  return { method: 'PATCH', path: `/api/v1/flags/${flag}`, headers: bearer(secret) };
}
