import t, { type Test } from 'tap';
import type { SyncedClient } from '../../src/sdk/synced-client.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { tokenOf } from '../support/provisioning.ts';
import { createRandom } from '../support/random.ts';
import { BootedService, newDirectory, randomDocument } from './booted-service.ts';
import { until, untilStatus } from './wire/wire-client.ts';

/* The client against a real Burgee. `wire` tries further bad days, with a server that can have them on demand. */
t.setTimeout(180_000);

const random = createRandom(17);
/** Those of a program, but for the times after which it tries again. */
const timings = { backoffFirstMs: 300, backoffMaxMs: 1000, refusedMs: 1000, usageMs: 300 };
const questions = 1000;

async function expectSame(t: Test, service: BootedService, client: SyncedClient): Promise<void> {
  t.equal(
    await service.countDifferences(client, random, questions),
    0,
    'the answers are those of the service',
  );
}

/** Changes a flag, and waits until the client has it. @returns how long after the acknowledgement, in ms */
async function changeSeen(service: BootedService, client: SyncedClient): Promise<number> {
  const flag = random.pick(service.flagIds);
  const before = client.version;
  const percentage = random.integer(0, 100);
  await service.patch(flag, { trafficPercentage: percentage, enabled: true, cohorts: [`c${percentage}`] });
  const acknowledgedAt = performance.now();
  await until(
    client,
    () => client.version !== before && client.isOn(flag, { cohort: `c${percentage}` }, false),
  );
  return performance.now() - acknowledgedAt;
}

t.test('a client follows a service through its days', async (t) => {
  const service = await BootedService.boot(t, randomDocument(random, 60));
  const client = await service.startClient(t, {}, timings);
  t.equal(client.status, 'ready');
  t.equal(client.flagSetId, `${service.project.id}/production`);
  await expectSame(t, service, client);

  const delays: number[] = [];
  for (let change = 0; change < 30; change += 1) delays.push(await changeSeen(service, client));
  t.ok(Math.max(...delays) < 1000, `an acknowledged change is there after at most ${Math.max(...delays)} ms`);
  await expectSame(t, service, client);

  await service.kill();
  await untilStatus(client, 'stale');
  await service.restart();
  await untilStatus(client, 'ready');
  await changeSeen(service, client);
  await expectSame(t, service, client);

  const backup = newDirectory(t, 'backup');
  await runBurgeeOrThrow(['backup', backup, '--data-dir', service.server.dataDir]);
  for (let change = 0; change < 5; change += 1) await changeSeen(service, client);
  const before = client.version ?? '';
  await service.server.stop();
  await untilStatus(client, 'stale');
  const restored = newDirectory(t, 'restored');
  await runBurgeeOrThrow(['restore', backup, '--data-dir', restored]);
  await service.restart(restored);
  await untilStatus(client, 'ready');
  t.not(client.version?.split('.')[0], before.split('.')[0], 'another history');
  await expectSame(t, service, client);
});

t.test('a token that is revoked is refused, and answers stay; a new one is taken', async (t) => {
  const service = await BootedService.boot(t, randomDocument(random, 20));
  const client = await service.startClient(t, {}, timings);
  const { id } = tokenOf(service.project, 'read');
  await runBurgeeOrThrow(['token', 'revoke', id, '--data-dir', service.server.dataDir]);
  await service.kill();
  await service.restart();
  await untilStatus(client, 'error');
  t.match(client.why, /401: the token is not valid/);
  await expectSame(t, service, client);
  const another = await service.startClient(t, { token: service.secret('write') }, timings);
  t.equal(another.status, 'ready');
});

t.test('what a client asks for wrongly is an error that says so', async (t) => {
  const service = await BootedService.boot(t, randomDocument(random, 5));
  for (const [options, why] of [
    [
      { environment: 'staging' },
      /answered 403: .* It says: This token may not use the environment "staging"[.].* production[.]$/,
    ],
    [
      { environment: null },
      /answered 404: .* It says: The address names no environment: this project has several [(]valid ones: production, staging[)][.]$/,
    ],
    [
      { environment: 'nowhere', token: service.secret('write') },
      /answered 404: .* It says: There is no environment "nowhere": this project has several/,
    ],
    [
      { project: 'another0000000000000' },
      /answered 404: .* It says: No project with that id or slug belongs to this token[.]$/,
    ],
    [{ token: 'burgee_wrong' }, /answered 401: .* It says: The Authorization header must be/],
  ] as const) {
    const client = await service.startClient(t, options, timings);
    t.equal(client.status, 'error', JSON.stringify(options));
    t.match(client.why, why);
    const polling = await service.startClient(t, { ...options, mode: 'poll' }, timings);
    t.equal(polling.why, client.why, 'the same of a poll');
  }
});

t.test('polling, and asking once', async (t) => {
  const service = await BootedService.boot(t, randomDocument(random, 20));
  const polling = await service.startClient(t, { mode: 'poll' }, { ...timings, pollMs: 100 });
  const once = await service.startClient(t, { mode: 'once' }, timings);
  await expectSame(t, service, once);
  await changeSeen(service, polling);
  await expectSame(t, service, polling);
});
