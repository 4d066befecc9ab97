import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { adminClientOf, bootWithAdmin } from '../admin/admin-fixture.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bearer, bootFlagd, callSync, grpcClient, provisionFlags } from './flagd-fixture.ts';

t.setTimeout(60_000);

const server = join(repositoryRoot(), 'dist', 'server');
const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;

t.test('gRPC is imported by the thread that speaks it alone', async (t) => {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.c?js$/.test(file),
  );
  const importing = files.filter((file) =>
    readFileSync(join(server, file), 'utf8').includes('@grpc/grpc-js'),
  );
  t.equal(importing.length, 1, importing.join(', '));
  t.match(importing[0], /^flagd\/flagd-worker-[\w-]+\.cjs$/);
});

t.test('without a port there is neither a thread nor a metric of it', async (t) => {
  const store = await provisionFlags(t);
  const off = await bootWithAdmin(t, { dataDir: store.dataDir });
  const threads = threadsOf(off.server.pid);
  const { types } = await off.admin.scrape();
  t.same(
    [...types.keys()].filter((name) => name.startsWith('burgee_flagd')),
    [],
  );
  await off.server.stop();

  const on = await bootFlagd(t, store.dataDir, { BURGEE_ADMIN_PORT: '0' });
  t.ok(threadsOf(on.server.pid) > threads, 'with a port there is one more');
  const admin = await adminClientOf(t, on.server);
  const client = grpcClient(t, on.flagdPort);
  const options = { selector: store.solo.id, metadata: bearer(store.secretOf('solo')) };
  const stream = callSync(client, options);
  await stream.configuration(0);
  await callSync(client, { ...options, selector: store.shop.id }).ended;
  // The gauges are put some times a second.
  let scrape = await admin.scrape();
  while (scrape.value('burgee_flagd_connections') === 0) scrape = await admin.scrape();
  t.equal(scrape.value('burgee_flagd_streams'), 1);
  t.equal(scrape.value('burgee_flagd_connections'), 1);
  t.equal(scrape.value('burgee_flagd_configurations_total'), 1);
  t.equal(scrape.value('burgee_flagd_refused_total', { status: 'not-found' }), 1);
  await on.server.stop();
});

t.test('a port that cannot be taken, or has no sense, ends the start and names the setting', async (t) => {
  const dataDir = temporaryDirectory(t);
  const holder = createServer().listen(0, '127.0.0.1');
  t.teardown(() => holder.close());
  await new Promise((resolve) => holder.once('listening', resolve));
  const address = holder.address();
  const taken = typeof address === 'object' ? String(address?.port) : '';
  const serve = (...options: readonly string[]) => runBurgee(['serve', '--data-dir', dataDir, ...options]);
  const inUse = await serve('--port', '0', '--flagd-sync-port', taken);
  t.match([inUse.code, inUse.stderr], [1, /BURGEE_FLAGD_SYNC_PORT/]);
  const same = await serve('--port', '8099', '--flagd-sync-port', '8099');
  t.match([same.code, same.stderr], [1, /port of flagd sync must differ from the public port/]);
  const alone = await serve('--port', '0', '--flagd-sync-host', '::1');
  t.match([alone.code, alone.stderr], [1, /does nothing without --flagd-sync-port/]);
});
