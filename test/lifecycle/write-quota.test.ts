import t from 'tap';
import { adminClientOf } from '../admin/admin-fixture.ts';
import { PreparedStore } from '../console/prepared-store.ts';
import { flagChangeOf, flagOf } from '../storage/support/records.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* A quota a day stops an organisation that writes without end, and no other. */
const bytesMax = 256 * 1024;
const settings = { BURGEE_WRITTEN_BYTES_PER_DAY_MAX: String(bytesMax) };

function cohorts(letter: string): string[] {
  return Array.from({ length: 1000 }, (_, at) => `${letter}-${String(at).padStart(8, '0')}`);
}

/** Each change records both complete lists and the flag. */
const listBytes = JSON.stringify(cohorts('a')).length;

function patcher(server: BootedServer, flagId: string, authorization: string) {
  const client = createHttpClient(t, { port: server.port });
  const path = `/api/v1/flags/${flagId}`;
  return (patch: object, query = '') =>
    client.send({
      method: 'PATCH',
      path: path + query,
      headers: { authorization },
      body: JSON.stringify(patch),
    });
}

t.test(
  'an organisation that has used its quota is refused until the next day, and others are not',
  async (t) => {
    const dataDir = temporaryDirectory(t);
    const [prepared, other] = [new PreparedStore(), new PreparedStore()];
    const second = flagOf(prepared.project.id);
    prepared.add([flagChangeOf(null, second)]);
    const authorization = prepared.addToken();
    const owner = prepared.addMember('owner');
    const otherToken = other.addToken();
    await prepared.write(dataDir);
    await other.write(dataDir);
    const server = await bootServer(t, { dataDir, settings });
    const patch = patcher(server, prepared.flag.id, authorization);

    let answered = 0;
    let last = await patch({ cohorts: cohorts('a') });
    for (; last.status === 200; answered += 1)
      last = await patch({ cohorts: cohorts(answered % 2 ? 'a' : 'b') });
    t.ok(answered * listBytes < bytesMax, 'the records without audit entries are within the quota');
    t.ok(answered * listBytes * 3.2 > bytesMax, 'and with their audit entries they exceed it');

    await t.test('the answer says when to try again', async (t) => {
      t.equal(last.status, 429);
      t.match(JSON.parse(last.text), { error: 'Write quota reached', docs: /#write-quota-reached$/ });
      const seconds = Number(last.headers.get('retry-after'));
      t.ok(seconds >= 1 && seconds <= 86_400, `${seconds} s`);
    });

    await t.test('a request that changes nothing is answered as usual, and so is a read', async (t) => {
      const now = JSON.parse(
        (await patch({ cohorts: cohorts(answered % 2 ? 'b' : 'a') }, '?dryRun=true')).text,
      );
      t.equal((await patch({ cohorts: now.flag.cohorts }, '?dryRun=true')).status, 200);
      t.equal((await patch({ enabled: true })).status, 200, 'it was on before');
    });

    await t.test('another organisation can still write', async (t) => {
      t.equal((await patcher(server, other.flag.id, otherToken)({ enabled: false })).status, 200);
    });

    await t.test('a member can still switch a flag off', async (t) => {
      const browser = prepared.client(t, server.port, owner);
      const origin = { origin: `http://127.0.0.1:${server.port}` };
      const path = `/projects/${prepared.project.id}/flags/${second.id}`;
      const body = { revision: 1, states: { 0: { enabled: false } } };
      const { status, text } = await browser.send('PATCH', path, body, origin);
      t.equal(status, 200, text);
    });

    await t.test('a member can still sign out', async (t) => {
      const browser = prepared.client(t, server.port, owner);
      const origin = { origin: `http://127.0.0.1:${server.port}` };
      t.equal((await browser.send('DELETE', '/session', undefined, origin)).status, 204);
    });

    await t.test('killing the process does not reset the quota', async (t) => {
      server.signal('SIGKILL');
      await server.ended;
      const again = await bootServer(t, { dataDir, settings });
      const refused = await patcher(again, prepared.flag.id, authorization)({ trafficPercentage: 7 });
      t.equal(refused.status, 429);
      await again.stop();
      const freed = await bootServer(t, { dataDir, settings: { BURGEE_WRITTEN_BYTES_PER_DAY_MAX: '0' } });
      t.equal((await patcher(freed, prepared.flag.id, authorization)({ trafficPercentage: 7 })).status, 200);
      await freed.stop();
    });
  },
);

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

t.test('the quota is reset at midnight UTC, as the answer says, and refusals are counted', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const authorization = prepared.addToken();
  await prepared.write(dataDir);
  const hourBefore = dayMs - (Date.now() % dayMs) - hourMs;
  const server = await bootTampered(t, {
    dataDir,
    settings: { ...settings, BURGEE_ADMIN_PORT: '0' },
    wallOffsetMs: hourBefore,
  });
  const admin = await adminClientOf(t, server);
  const refusals = async (): Promise<number> =>
    (await admin.scrape()).value('burgee_write_quota_refusals_total');
  t.equal(await refusals(), 0);
  const patch = patcher(server, prepared.flag.id, authorization);
  let last = await patch({ cohorts: cohorts('a') });
  for (let answered = 0; last.status === 200; answered += 1)
    last = await patch({ cohorts: cohorts(answered % 2 ? 'a' : 'b') });
  t.equal(last.status, 429);
  const seconds = Number(last.headers.get('retry-after'));
  t.ok(seconds <= hourMs / 1000, `${seconds} s`);

  await server.setWallClock(hourBefore + (seconds * 1000) / 2);
  const between = await patch({ trafficPercentage: 7 });
  t.equal(between.status, 429);
  t.ok(Number(between.headers.get('retry-after')) <= seconds / 2 + 1);
  await server.setWallClock(hourBefore + seconds * 1000);
  t.equal((await patch({ trafficPercentage: 7 })).status, 200);
  t.equal(await refusals(), 2);
  await server.stop();
});
