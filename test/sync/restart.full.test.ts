import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { idOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bootSync, siteOn } from './sync-fixture.ts';

t.setTimeout(180_000);

const any = () => true;

t.test('after kill -9 and a start, clients go on where they were', async (test) => {
  const site = await bootSync(test);
  const { dataDir } = site.server;
  const stream = await site.stream();
  await stream.next();
  const flag = idOf(site.shop.flags, 'first');
  await site.patch(flag, { enabled: true });
  await stream.next();
  site.server.signal('SIGKILL');
  await site.server.ended;
  await stream.ended;
  const again = siteOn(test, site, await bootServer(test, { dataDir, settings: unlimited }));
  const { lastEventId } = stream;
  const resumed = await again.stream({ lastEventId });
  test.equal((await resumed.next(any)).event, 'beat', 'nothing was lost, and nothing is sent again');
  resumed.close();
  await again.patch(flag, { enabled: false });
  const missed = await again.stream({ lastEventId });
  const delta = await missed.next(any);
  test.equal(delta.event, 'delta');
  test.match(delta.data.flags, [{ id: flag, enabled: false }]);
});

t.test('a restored store has another history: each client gets a snapshot', async (test) => {
  const site = await bootSync(test);
  const scratch = temporaryDirectory(test);
  const [backup, dataDir] = [join(scratch, 'backup'), join(scratch, 'restored')];
  const flag = idOf(site.shop.flags, 'first');
  await site.patch(flag, { enabled: true });
  await runBurgeeOrThrow(['backup', backup, '--data-dir', site.server.dataDir]);
  await site.patch(flag, { enabled: false });
  const before = await site.snapshot();
  await site.server.stop();
  await runBurgeeOrThrow(['restore', backup, '--data-dir', dataDir]);
  const restored = siteOn(test, site, await bootServer(test, { dataDir, settings: unlimited }));
  // The number that the old history had given already is given again.
  await restored.patch(flag, { trafficPercentage: 7 });
  const after = await restored.snapshot();
  const [oldHistory, oldNumber] = before.version.split('.');
  const [history, number] = after.version.split('.');
  test.equal(number, oldNumber);
  test.not(history, oldHistory);
  const tag = { 'If-None-Match': `"${before.version}"` };
  test.equal((await restored.get(restored.path(), restored.secret(), tag)).status, 200);
  const stream = await restored.stream({ lastEventId: before.version });
  const event = await stream.next(any);
  test.equal(event.event, 'snapshot');
  test.match(event.data.flags[0], { enabled: true, trafficPercentage: 7 });
  stream.close();
  await restored.server.stop();
  const once = siteOn(test, site, await bootServer(test, { dataDir, settings: unlimited }));
  test.equal((await once.snapshot()).version, after.version, 'the new history stays');
});

t.test(
  'where a snapshot of the disk was put back, deleting store.json begins another history',
  async (test) => {
    const site = await bootSync(test);
    const { dataDir } = site.server;
    const flag = idOf(site.shop.flags, 'first');
    await site.server.stop();
    const disk = join(temporaryDirectory(test), 'disk');
    await cp(dataDir, disk, { recursive: true });
    const first = siteOn(test, site, await bootServer(test, { dataDir, settings: unlimited }));
    await first.patch(flag, { enabled: true });
    const { version } = await first.snapshot();
    await first.server.stop();
    await rm(dataDir, { recursive: true });
    await cp(disk, dataDir, { recursive: true });
    await rm(join(dataDir, 'store.json'));
    const back = siteOn(test, site, await bootServer(test, { dataDir, settings: unlimited }));
    const stream = await back.stream({ lastEventId: version });
    const event = await stream.next(any);
    test.equal(event.event, 'snapshot', 'what the client knows is not of this history');
    test.match(event.data.flags[0], { enabled: false });
  },
);
