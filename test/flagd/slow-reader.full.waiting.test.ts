import { once } from 'node:events';
import { connect } from 'node:http2';
import t from 'tap';
import { takeMsMax } from '../../src/flagd/flagd-events.ts';
import { adminClientOf } from '../admin/admin-fixture.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bearer, bootFlagd, callSync, changeFlag, encodeSelector, grpcClient } from './flagd-fixture.ts';

t.setTimeout(180_000);

t.test('a client that takes nothing is held one configuration for, and is cut off', async (t) => {
  const dataDir = temporaryDirectory(t);
  const cohorts = Array.from({ length: 40_000 }, (_, index) => `cohort-number-${index}`);
  const flags = [{ name: 'long', enabled: true, trafficPercentage: 10, cohorts }, { name: 'short' }];
  const tokens = [{ name: 'ci', permission: 'write' }];
  const document = {
    organisations: [{ name: 'Harbour', plan: 'enterprise', projects: [{ name: 'big', flags, tokens }] }],
  };
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'big');
  const { secret } = tokenOf(project, 'ci');
  const { server, flagdPort: port } = await bootFlagd(t, dataDir, { BURGEE_ADMIN_PORT: '0' });
  const admin = await adminClientOf(t, server);

  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  t.teardown(() => session.destroy());
  const slow = session.request({
    ...{ ':method': 'POST', ':path': '/flagd.sync.v1.FlagSyncService/SyncFlags', te: 'trailers' },
    ...{ 'content-type': 'application/grpc', authorization: `Bearer ${secret}` },
  });
  slow.on('error', () => undefined);
  const selector = encodeSelector(project.id);
  const head = Buffer.from([0, 0, 0, 0, selector.length]);
  slow.end(Buffer.concat([head, selector]));
  await once(slow, 'response');
  const begun = performance.now();

  const quick = callSync(grpcClient(t, port), { selector: project.id, metadata: bearer(secret) });
  const { flags: first } = await quick.configuration(0);
  t.same(Object.keys(first).length, 4);
  const bytes = JSON.stringify(quick.received[0]).length;
  t.ok(bytes > 800_000, `${bytes} bytes`);
  const short = idOf(project.flags, 'short');
  for (let round = 1; round <= 8; round += 1) {
    await changeFlag(t, server, secret, short, { enabled: round % 2 === 1, trafficPercentage: 100 });
    await quick.configuration(round);
    const scrape = await admin.scrape();
    t.ok(scrape.value('burgee_flagd_unsent_bytes') < bytes * 2.2, `round ${round}`);
  }
  t.equal((await admin.scrape()).value('burgee_flagd_cut_total', { reason: 'slow' }), 0);
  await once(session, 'close');
  const lasted = performance.now() - begun;
  t.ok(lasted > takeMsMax - 1000 && lasted < takeMsMax + 20_000, `${lasted} ms`);
  const scrape = await admin.scrape();
  t.equal(scrape.value('burgee_flagd_cut_total', { reason: 'slow' }), 1);
  quick.cancel();
  await server.stop();
});
