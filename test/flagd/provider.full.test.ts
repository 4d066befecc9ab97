import { join } from 'node:path';
import { ProviderEvents } from '@openfeature/server-sdk';
import t from 'tap';
import { runBurgee } from '../support/burgee-command.ts';
import { makeCertificate } from '../support/certificate.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  bootFlagd,
  callSync,
  changeFlag,
  connectProvider,
  grpcClient,
  provisionFlags,
} from './flagd-fixture.ts';

t.setTimeout(60_000);
const programs = debianPrograms('openssl');

t.test(
  'flagd’s provider evaluates in its process, by id and by name, and sees a change within a second',
  async (t) => {
    const store = await provisionFlags(t);
    const { server, flagdPort: port } = await bootFlagd(t, store.dataDir);
    const selector = `${store.shop.id}/production`;
    const token = store.secretOf('all');
    const { client, close } = await connectProvider({ port, selector: `${selector},token=${token}` });
    const on = (key: string, context = {}): Promise<boolean> => client.getBooleanValue(key, false, context);
    t.equal(await on('checkout'), true);
    t.equal(await on(store.flag('checkout')), true);
    t.equal(await on('search', { cohort: 'acme' }), true);
    t.equal(await on('search', { plan: 'free', targetingKey: 'u' }), false);
    t.equal(
      await client.getBooleanValue('off', true),
      false,
      'a flag that is off does not give the default of the code',
    );
    t.equal(await on('half'), false, 'without a key nothing is rolled');
    const details = await client.getBooleanDetails('search', false, { cohort: ['x', 'acme'] });
    t.match(details, {
      ...{ value: true, variant: 'on', reason: 'TARGETING_MATCH' },
      flagMetadata: { flagId: store.flag('search'), flagSetId: selector, version: /^\d+$/ },
    });
    t.notMatch(JSON.stringify(details), store.secretOf('all'), 'the token is in no metadata');

    const changed = new Promise<readonly string[]>((resolve) => {
      client.addHandler(ProviderEvents.ConfigurationChanged, (event) => resolve(event?.flagsChanged ?? []));
    });
    await changeFlag(t, server, store.secretOf('all'), `${store.flag('checkout')}?env=production`, {
      enabled: false,
    });
    const acknowledgedAt = performance.now();
    t.same([...(await changed)].sort(), [store.flag('checkout'), 'checkout'].sort(), 'no other flag');
    t.ok(performance.now() - acknowledgedAt < 1000);
    t.equal(await client.getBooleanValue('checkout', true), false);
    await close();
    await server.stop();
  },
);

t.test('the provider keeps its flags while the server is away, and follows it again after', async (t) => {
  const store = await provisionFlags(t);
  const first = await bootFlagd(t, store.dataDir);
  const port = first.flagdPort;
  const selector = `${store.shop.id}/production,token=${store.secretOf('all')}`;
  const { client, close } = await connectProvider({ port, selector });
  const nextEvent = (event: ProviderEvents): Promise<void> =>
    new Promise((resolve) => client.addHandler(event, () => resolve()));
  t.equal(await client.getBooleanValue('checkout', false), true);
  const stale = nextEvent(ProviderEvents.Stale);
  first.server.signal('SIGKILL');
  await Promise.all([first.server.ended, stale]);
  t.equal(await client.getBooleanValue('checkout', false), true, 'evaluated without a server');
  const changed = nextEvent(ProviderEvents.ConfigurationChanged);
  const settings = { BURGEE_FLAGD_SYNC_PORT: String(port) };
  const { server } = await bootFlagd(t, store.dataDir, settings);
  await changeFlag(t, server, store.secretOf('all'), `${store.flag('checkout')}?env=production`, {
    enabled: false,
  });
  await changed;
  t.equal(await client.getBooleanValue('checkout', true), false);
  await close();
  await server.stop();
});

t.test('connections are encrypted by certificate files', { skip: programs.skip }, async (t) => {
  const store = await provisionFlags(t);
  const directory = temporaryDirectory(t);
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  makeCertificate(pathOf(programs, 'openssl'), certFile, keyFile);
  const settings = { BURGEE_FLAGD_SYNC_CERT_FILE: certFile, BURGEE_FLAGD_SYNC_KEY_FILE: keyFile };
  const { server, flagdPort: port } = await bootFlagd(t, store.dataDir, settings);
  const selector = `${store.solo.id},token=${store.secretOf('solo')}`;
  const { client, close } = await connectProvider({ port, selector, certPath: certFile });
  t.equal(await client.getBooleanValue('banner', false), true);
  const plain = callSync(grpcClient(t, port), { selector });
  t.equal((await plain.ended).code, 'UNAVAILABLE', 'without TLS nobody is served');
  await close();
  await server.stop();

  const serve = ['serve', '--data-dir', store.dataDir, '--port', '0', '--flagd-sync-port', '0'];
  const half = await runBurgee([...serve, '--flagd-sync-cert-file', certFile]);
  t.equal(half.code, 1);
  t.match(half.stderr, /BURGEE_FLAGD_SYNC_CERT_FILE\) and .*BURGEE_FLAGD_SYNC_KEY_FILE\) belong together/);
  const swapped = ['--flagd-sync-cert-file', keyFile, '--flagd-sync-key-file', certFile];
  const wrong = await runBurgee([...serve, ...swapped]);
  t.equal(wrong.code, 1);
  t.match(wrong.stderr, /cannot be used: .*PEM certificate/);
});
