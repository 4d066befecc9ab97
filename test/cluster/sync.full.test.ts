import t, { type Test } from 'tap';
import type { SyncSnapshot } from '../../src/domain/sync/configuration.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openSync, type SyncReader } from '../sync/sync-client.ts';
import { createCluster } from './support/three-nodes.ts';

t.setTimeout(120_000);

const { binaries, skip } = findPostgres();
const project = {
  name: 'shop',
  environments: ['production', 'staging'],
  flags: [{ name: 'first' }, { name: 'second' }],
  tokens: [{ name: 'write', permission: 'write' }],
};
const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] };

interface Synced {
  snapshot(node: BootedServer): Promise<SyncSnapshot>;
  patch(node: BootedServer, flag: string, body: object): Promise<void>;
  stream(node: BootedServer, lastEventId?: string, state?: SyncReader['state']): Promise<SyncReader>;
}

function synced(test: Test, id: string, secret: string): Synced {
  const path = `/sync/v1/${id}/production`;
  return {
    async snapshot({ port }) {
      const client = createHttpClient(test, { port });
      return JSON.parse((await client.send({ path, headers: bearer(secret) })).text) as SyncSnapshot;
    },
    async patch({ port }, flag, body) {
      const headers = { ...bearer(secret), 'Content-Type': 'application/json' };
      const request = { method: 'PATCH', path: `/api/v1/flags/${flag}?env=production`, headers };
      const answer = await createHttpClient(test, { port }).send({ ...request, body: JSON.stringify(body) });
      if (answer.status !== 200) throw new Error(answer.text);
    },
    stream: ({ port }, lastEventId, state) =>
      openSync(test, {
        ...{ port, path, secret },
        ...(lastEventId === undefined ? {} : { lastEventId }),
        ...(state === undefined ? {} : { state }),
      }),
  };
}

t.test('a stream that was opened at one node goes on at another one', { skip }, async (test) => {
  const directory = temporaryDirectory(test);
  const provisioned = projectOf(await provision(directory, temporaryDirectory(test), document), 'shop');
  const cluster = await createCluster(test, binaries as PostgresBinaries, directory);
  const [one, other] = [await cluster.boot(directory), await cluster.boot()];
  const site = synced(test, provisioned.id, tokenOf(provisioned, 'write').secret);
  const [first, second] = [idOf(provisioned.flags, 'first'), idOf(provisioned.flags, 'second')];
  await site.patch(other, second, { trafficPercentage: 1 });
  const stream = await site.stream(one);
  await stream.next();
  await site.patch(other, first, { enabled: true });
  test.match(
    (await stream.next()).data.flags,
    [{ id: first, enabled: true }],
    'changes of any node are told',
  );
  await site.patch(one, first, { trafficPercentage: 30 });
  await stream.next();
  const versions = await Promise.all([one, other].map(async (node) => (await site.snapshot(node)).version));
  test.equal(versions[0], versions[1], 'the nodes name the same history and the same number');
  test.equal(stream.state.version, versions[0]);
  stream.close();
  const quiet = await site.stream(other, stream.lastEventId, stream.state);
  test.equal((await quiet.next(() => true)).event, 'beat', 'nothing is sent again');
  quiet.close();
  await site.patch(one, second, { enabled: true });
  const resumed = await site.stream(other, stream.lastEventId, stream.state);
  const missed = await resumed.next(() => true);
  test.equal(missed.event, 'delta');
  test.match(missed.data.flags, [{ id: second, enabled: true, trafficPercentage: 1 }]);
  const { flags } = await site.snapshot(one);
  test.strictSame(
    [...resumed.state.flags.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
    flags,
  );
});

t.test('a node that is cut off says goodbye to its streams', { skip }, async (test) => {
  const directory = temporaryDirectory(test);
  const provisioned = projectOf(await provision(directory, temporaryDirectory(test), document), 'shop');
  const cluster = await createCluster(test, binaries as PostgresBinaries, directory);
  const node = await cluster.boot(directory);
  const site = synced(test, provisioned.id, tokenOf(provisioned, 'write').secret);
  const stream = await site.stream(node);
  await stream.next();
  await cluster.postgres.stop();
  const { event, data } = await stream.next();
  test.equal(event, 'goodbye');
  test.ok(data.retryAfterMs >= 1000);
  await stream.ended;
  await eventually(async () => (await site.stream(node)).status === 503, 10_000, 'it refuses new streams');
});
