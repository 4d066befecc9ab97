import { once } from 'node:events';
import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { person, signInAs } from '../console/console-fixture.ts';
import { bearer, callSync, flagdPortOf, grpcClient } from '../flagd/flagd-fixture.ts';
import { eventually } from '../support/expectations.ts';
import { idOf } from '../support/provisioning.ts';
import { bootSync, syncDocument } from './sync-fixture.ts';

t.setTimeout(180_000);

const email = 'owner@harbour.example';

function documentWithOwner(): object {
  const { organisations } = syncDocument() as { organisations: object[] };
  const members = [{ ...person('owner'), email }];
  return { organisations: organisations.map((organisation) => ({ ...organisation, members })) };
}

interface Shown {
  readonly environments: readonly {
    readonly environment: string | null;
    readonly kind: 'sync' | 'flagd';
    readonly streams: number;
    readonly version: number;
    readonly versions: readonly { readonly version: number; readonly streams: number }[];
    readonly starting: number;
    readonly lagMs: number;
  }[];
}

t.test('members see who is connected to the environments of a project', async (test) => {
  const settings = { BURGEE_FLAGD_SYNC_PORT: '0' };
  const site = await bootSync(test, { document: documentWithOwner(), settings });
  const flagdPort = await flagdPortOf(site.server);
  const client = await signInAs(test, site.server, email);
  const read = async (): Promise<Shown> =>
    JSON.parse((await client.send('GET', `/projects/${site.shop.id}/sync`)).text) as Shown;
  test.same(await read(), { environments: [] });
  const streams = [
    await site.stream(),
    await site.stream(),
    await site.stream({ path: site.path('staging') }),
  ];
  for (const stream of streams) await stream.next();
  const selector = `${site.shop.id}/production`;
  const flagd = callSync(grpcClient(test, flagdPort), { selector, metadata: bearer(site.secret()) });
  await flagd.configuration(0);
  await site.patch(idOf(site.shop.flags, 'first'), { enabled: true });
  await streams[1]?.next();
  await flagd.configuration(1);
  const number = Number((await site.snapshot()).version.split('.')[1]);
  await eventually(
    async () => {
      const shown = (await read()).environments;
      const current = { environment: 'production', version: number, starting: 0, lagMs: 0 };
      const of = (kind: 'sync' | 'flagd', streams: number): object => {
        return { ...current, kind, streams, versions: [{ version: number, streams }] };
      };
      return isDeepStrictEqual(shown.slice(0, 2), [of('flagd', 1), of('sync', 2)]) && shown[2]?.streams === 1;
    },
    10_000,
    'the streams are shown',
  );
  flagd.cancel();
  for (const stream of streams) stream.close();
  await eventually(async () => (await read()).environments.length === 0, 10_000, 'nobody is shown');
});

t.test('streams of an environment end when it is renamed or deleted, and others go on', async (test) => {
  const site = await bootSync(test, { document: documentWithOwner() });
  const client = await signInAs(test, site.server, email);
  const project = async () => {
    const { text } = await client.send('GET', `/projects/${site.shop.id}`);
    return JSON.parse(text) as {
      environments: { number: number; name: string }[];
      environmentsRevision: number;
    };
  };
  const [staging, production] = [await site.stream({ path: site.path('staging') }), await site.stream()];
  await staging.next();
  await production.next();
  const { environments, environmentsRevision: revision } = await project();
  const number = environments.find(({ name }) => name === 'staging')?.number;
  const at = `/projects/${site.shop.id}/environments/${number}`;
  const renamed = await client.send('PATCH', at, { revision, name: 'canary' });
  test.equal(renamed.status, 200, renamed.text);
  test.equal(await staging.ended, true);
  test.equal((await site.get(site.path('staging'), site.secret())).status, 404);
  const canary = await site.stream({ path: site.path('canary'), lastEventId: staging.lastEventId });
  test.equal((await canary.next(() => true)).event, 'snapshot', 'a name may lead to another environment now');
  const next = (await project()).environmentsRevision;
  const deleted = await client.send('DELETE', at, { revision: next, name: 'canary' });
  test.equal(deleted.status, 200, deleted.text);
  test.equal(await canary.ended, true);
  await site.patch(idOf(site.shop.flags, 'first'), { enabled: true });
  test.equal((await production.next()).event, 'delta');
});

t.test(
  'a token that was revoked reads nothing, nor does a request whose body was on its way',
  async (test) => {
    const site = await bootSync(test, {
      document: documentWithOwner(),
      settings: { BURGEE_FAILED_AUTHENTICATION_LIMIT: '1000' },
    });
    const client = await signInAs(test, site.server, email);
    const tokens = `/projects/${site.shop.id}/tokens`;
    const settings = { permission: 'read', environments: null, expiryDays: 30 };
    let isWriting = true;
    const writing = (async () => {
      const id = idOf(site.shop.flags, 'first');
      for (let percentage = 0; isWriting; percentage = (percentage + 1) % 100)
        await site.patch(id, { trafficPercentage: percentage });
    })();
    const report = JSON.stringify({ flags: [] });
    for (let round = 0; round < 10; round += 1) {
      const made = await client.send('POST', tokens, { name: `token ${round}`, ...settings });
      const { token, secret } = JSON.parse(made.text) as { token: { id: string }; secret: string };
      test.equal((await site.get(site.path(), secret)).status, 200);
      const late = connect(site.server.port, '127.0.0.1');
      const answer = once(late, 'data') as Promise<[Buffer]>;
      const authorization = `Authorization: Bearer ${secret}`;
      late.write(
        `POST /sync/v1/usage/${site.shop.id}/production HTTP/1.1\r\nHost: test\r\n${authorization}\r\nContent-Length: ${report.length}\r\n\r\n`,
      );
      test.equal((await client.send('POST', `${tokens}/${token.id}/revoke`)).status, 200);
      test.equal((await site.get(site.path(), secret)).status, 401);
      late.write(report);
      test.match((await answer).toString(), /^HTTP\/1\.1 401 /);
      late.destroy();
    }
    isWriting = false;
    await writing;
  },
);
