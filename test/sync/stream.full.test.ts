import t from 'tap';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { idOf, tokenOf } from '../support/provisioning.ts';
import { bootSync } from './sync-fixture.ts';

t.setTimeout(180_000);

t.test('a stream begins with a snapshot, and tells each change as a delta', async (test) => {
  const site = await bootSync(test);
  const { shop } = site;
  const stream = await site.stream();
  test.equal(stream.status, 200);
  test.equal(stream.headers['content-type'], 'text/event-stream');
  const snapshot = await stream.next();
  test.equal(snapshot.event, 'snapshot');
  test.strictSame(snapshot.data, await site.snapshot());
  test.equal(snapshot.id, snapshot.data.version);
  const [first, pro] = [idOf(shop.flags, 'first'), idOf(shop.audiences, 'Pro')];
  await site.patch(first, { enabled: true, audienceId: pro });
  const attached = await stream.next();
  test.equal(attached.event, 'delta');
  test.match(attached.data.flags, [{ id: first, enabled: true, audienceId: pro, revision: 2 }]);
  test.match(attached.data.audiences, [{ id: pro }]);
  await site.patch(idOf(shop.flags, 'second'), { enabled: true }, 'staging');
  await site.patch(first, { audienceId: null });
  const detached = await stream.next();
  // If one step took both changes, `second` is told too, as it is here: only its revision is another.
  const told = detached.data.flags.filter(({ id }: { id: string }) => id !== first);
  test.match(
    detached.data.flags.filter(({ id }: { id: string }) => id === first),
    [{ audienceId: null }],
  );
  test.ok(
    told.every(({ name, enabled }: { name: string; enabled: boolean }) => name === 'second' && !enabled),
    'nothing was told of the other environment',
  );
  test.ok(detached.data.removedAudiences.includes(pro));
  test.strictSame(detached.data.audiences, []);
  // A change of another environment counts as one of the flag; it is told with the next change here.
  const unnumbered = (content: object) => JSON.stringify(content).replaceAll(/"revision":\d+/g, '');
  test.equal(unnumbered(stream.state.content), unnumbered(await site.content()));
});

t.test('a client that comes back is told what it missed, or gets a snapshot', async (test) => {
  const site = await bootSync(test);
  const { shop } = site;
  const first = await site.stream();
  const { id, data } = await first.next();
  first.close();
  const any = () => true;
  const quiet = await site.stream({ lastEventId: id });
  test.equal((await quiet.next(any)).event, 'beat', 'nothing has changed: that is told at once');
  quiet.close();
  const [flag, pro] = [idOf(shop.flags, 'third'), idOf(shop.audiences, 'Pro')];
  await site.patch(flag, { enabled: true, audienceId: pro });
  await site.patch(flag, { trafficPercentage: 5 });
  const missed = await site.stream({ lastEventId: id });
  const delta = await missed.next(any);
  test.equal(delta.event, 'delta');
  test.match(delta.data.flags, [{ id: flag, enabled: true, trafficPercentage: 5 }]);
  test.strictSame(
    delta.data.flags.map((one: { id: string }) => one.id),
    [flag],
  );
  missed.close();
  const history = String(data.version).split('.')[0];
  const unknown = [
    '',
    'nonsense',
    `${history}.999999999`,
    `${'x'.repeat(20)}.1`,
    `${history}.-1`,
    `${history}.01`,
  ];
  for (const lastEventId of unknown) {
    const stream = await site.stream({ lastEventId });
    test.equal((await stream.next(any)).event, 'snapshot', `at «${lastEventId}»`);
    stream.close();
  }
});

t.test(
  'a stream ends when its token is revoked, and its client is told why when it asks again',
  async (test) => {
    const site = await bootSync(test);
    const stream = await site.stream({ secret: site.secret('read') });
    const other = await site.stream();
    await stream.next();
    await other.next();
    const { id } = tokenOf(site.shop, 'read');
    await runBurgeeOrThrow(['token', 'revoke', id, '--data-dir', site.server.dataDir]);
    test.equal(await stream.ended, true);
    test.equal((await site.get(site.path(), site.secret('read'))).status, 401);
    await site.patch(idOf(site.shop.flags, 'first'), { enabled: true });
    test.equal((await other.next()).event, 'delta', 'streams of other tokens go on');
  },
);

t.test('a service that stops says goodbye, at random', async (test) => {
  const site = await bootSync(test);
  const streams = await Promise.all(Array.from({ length: 20 }, () => site.stream()));
  for (const stream of streams) await stream.next();
  const stopped = site.server.stop();
  const times: number[] = [];
  for (const stream of streams) {
    const { event, data } = await stream.next();
    test.equal(event, 'goodbye');
    times.push(data.retryAfterMs);
    await stream.ended;
  }
  await stopped;
  test.ok(times.every((ms) => ms >= 1000 && ms <= 10_000));
  test.ok(new Set(times).size > 10, 'clients come back at different times');
});

t.test('a token gets a quarter of the half for credentials, and 503 beyond', async (test) => {
  const settings = { BURGEE_SYNC_STREAMS_MAX: '16', BURGEE_WORKERS: '1' };
  const site = await bootSync(test, { settings });
  const streams = [await site.stream(), await site.stream()];
  test.same(
    streams.map(({ status }) => status),
    [200, 200],
  );
  const full = await site.stream();
  test.equal(full.status, 503);
  test.ok(Number(full.headers['retry-after']) >= 10);
  test.equal((await site.get(site.path(), site.secret())).status, 200, 'a snapshot is not a stream');
  streams[0]?.close();
  // The server learns a moment later that the connection is closed.
  for (let status = 0; status !== 200; ) ({ status } = await site.stream());
  test.pass('a stream that has ended gives its slot back');
});
