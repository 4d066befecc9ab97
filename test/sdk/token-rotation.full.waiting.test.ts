import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { BurgeeClient } from '../../src/sdk/burgee-client.ts';
import { defaultTimings } from '../../src/sdk/timings.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { BootedService, randomDocument } from './booted-service.ts';
import { builtClient, importClient, installClient } from './client-package.ts';
import { until, untilStatus } from './wire/wire-client.ts';

/* The packed client, with the timings of a program, whose token is replaced: the ways that its README describes. */
t.setTimeout(400_000);

const directory = temporaryDirectory(t);
installClient(builtClient, directory);
const { connect } = await importClient(directory);

/** A service with a client that reads its token from a file. */
async function begin(t: Test) {
  const document = randomDocument(createRandom(1), 60);
  const service = await BootedService.boot(t, document);
  const file = join(temporaryDirectory(t), 'token');
  writeFileSync(file, `${service.secret('read')}\n`);
  const start = async (token: string | (() => string)): Promise<BurgeeClient> => {
    const client = await connect({ ...service.options, token });
    t.teardown(() => client.close());
    return client;
  };
  const client = await start(() => readFileSync(file, 'utf8').trim());
  t.equal(client.status, 'ready');

  /** Makes a token while the service runs. @returns its secret */
  const makeToken = async (): Promise<string> => {
    const further = structuredClone(document) as {
      organisations: { projects: { tokens: object[] }[] }[];
    };
    further.organisations[0]?.projects[0]?.tokens.push({ name: 'new', permission: 'read' });
    const made = await provision(service.server.dataDir, temporaryDirectory(t), further);
    return tokenOf(projectOf(made, 'shop'), 'new').secret;
  };
  const revokeOld = (): Promise<string> => {
    const { id } = tokenOf(service.project, 'read');
    return runBurgeeOrThrow(['token', 'revoke', id, '--data-dir', service.server.dataDir]);
  };
  return { service, client, file, start, makeToken, revokeOld };
}

async function expectFollowing(t: Test, service: BootedService, client: BurgeeClient): Promise<void> {
  t.equal(client.status, 'ready');
  t.equal(await service.countDifferences(client, createRandom(2), 1000), 0, 'answers are the service’s');
  const [flag = ''] = service.flagIds;
  await service.patch(flag, { enabled: true, cohorts: ['later'] });
  const acknowledgedAt = performance.now();
  await until(client, () => client.isOn(flag, { cohort: 'later' }, false));
  t.ok(performance.now() - acknowledgedAt < 1000, 'a change is there within a second');
}

t.test('a new token is there before the old one is revoked: the client goes on with it', async (t) => {
  const { service, client, file, makeToken, revokeOld } = await begin(t);
  const heard: string[] = [];
  client.on('status', (status) => heard.push(status));
  writeFileSync(file, await makeToken());
  await revokeOld();
  const revokedAt = performance.now();
  await until(client, () => heard.at(-1) === 'ready');
  const tookMs = performance.now() - revokedAt;
  t.same(heard, ['stale', 'ready'], 'it is never refused');
  // A stream ends at its next beat, and the first wait is short.
  t.ok(
    tookMs < 60_000,
    `it goes on with the new token ${Math.round(tookMs)} ms after the old one was revoked`,
  );
  await expectFollowing(t, service, client);
});

t.test('the old token is revoked first: the client says so, and takes the new one in seconds', async (t) => {
  const { service, client, file, start, makeToken, revokeOld } = await begin(t);
  const restarted = await start(service.secret('read'));
  await revokeOld();
  await untilStatus(client, 'error');
  t.match(client.why, /401: the token is not valid/);
  t.equal(await service.countDifferences(client, createRandom(3), 1000), 0, 'answers stay meanwhile');
  const secret = await makeToken();
  const givenAt = performance.now();
  writeFileSync(file, secret);
  await untilStatus(client, 'ready');
  const tookMs = performance.now() - givenAt;
  t.ok(tookMs < defaultTimings.pulseMs + 2000, `it took the new token after ${Math.round(tookMs)} ms`);
  await expectFollowing(t, service, client);

  await untilStatus(restarted, 'error');
  await restarted.close();
  await expectFollowing(t, service, await start(secret));
});

t.test('a token that cannot be read is an error, and is asked for again', async (t) => {
  const { service, client, file, start } = await begin(t);
  writeFileSync(file, '');
  const without = await start(() => readFileSync(file, 'utf8'));
  t.equal(without.status, 'error');
  t.match(without.why, /There is no token: .*must be the secret of an active token/);
  writeFileSync(file, service.secret('read'));
  await untilStatus(without, 'ready');
  await expectFollowing(t, service, without);
  t.equal(client.status, 'ready', 'one that is connected needs no token meanwhile');
});
