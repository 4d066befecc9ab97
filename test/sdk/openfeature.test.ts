import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { OpenFeature, ProviderEvents, ServerProviderStatus } from '@openfeature/server-sdk';
import t from 'tap';
import { BurgeeProvider } from '../../src/sdk/openfeature.ts';
import { inMemory } from '../../src/sdk/testing.ts';
import { createRandom } from '../support/random.ts';
import { randomConfiguration } from './wire/random-configuration.ts';
import { startClient, untilStatus } from './wire/wire-client.ts';
import { WireServer } from './wire/wire-server.ts';

t.teardown(() => OpenFeature.close());

t.test('answers, reasons and metadata in the words of OpenFeature', async (t) => {
  const flags = inMemory({
    on: true,
    off: false,
    half: { trafficPercentage: 50 },
    staff: { cohorts: ['staff'], trafficPercentage: 0 },
    pro: { audience: { plan: ['pro'] } },
  });
  await OpenFeature.setProviderAndWait('words', new BurgeeProvider(flags));
  const client = OpenFeature.getClient('words');
  const ask = async (key: string, context = {}) => {
    const { value, variant, reason } = await client.getBooleanDetails(key, false, context);
    return [value, variant, reason];
  };
  t.same(await ask('on'), [true, 'on', 'STATIC']);
  t.same(await ask('off'), [false, 'off', 'STATIC']);
  t.equal((await ask('half', { targetingKey: 'u' }))[2], 'SPLIT');
  t.same(await ask('staff', { cohort: ['other', 'staff'] }), [true, 'on', 'TARGETING_MATCH']);
  t.same(await ask('pro', { plan: 'free' }), [false, 'off', 'TARGETING_MATCH']);
  t.same(await ask('pro', { plan: 'pro' }), [true, 'on', 'STATIC']);
  const { flagMetadata } = await client.getBooleanDetails('on', false);
  t.match(flagMetadata, { flagSetId: 'test', reason: 'full-rollout', flagId: /^test/, version: /^\d+$/ });
  t.same(flags.asked, ['on', 'off', 'half', 'staff', 'pro']);
});

t.test('faults give the default, and say what they are', async (t) => {
  const provider = new BurgeeProvider(inMemory({ on: true }));
  await OpenFeature.setProviderAndWait('faults', provider);
  const client = OpenFeature.getClient('faults');
  t.match(await client.getBooleanDetails('missing', true), {
    value: true,
    errorCode: 'FLAG_NOT_FOUND',
    reason: 'ERROR',
  });
  t.match(await client.getStringDetails('on', 'a'), {
    value: 'a',
    errorCode: 'TYPE_MISMATCH',
    reason: 'ERROR',
  });
  t.match(await client.getNumberDetails('on', 5), { value: 5, errorCode: 'TYPE_MISMATCH' });
  t.match(await client.getObjectDetails('on', { a: 1 }), { value: { a: 1 }, errorCode: 'TYPE_MISMATCH' });
  t.match(await client.getStringDetails('missing', 'a'), { value: 'a', errorCode: 'FLAG_NOT_FOUND' });
  t.throws(() => new BurgeeProvider({ url: 'x', project: 'p', token: 't' }), /url must be/);
  const unready = new BurgeeProvider({ url: 'http://127.0.0.1:1', project: 'p', token: 't' });
  t.match(await unready.resolveBooleanEvaluation('on', true, {}), {
    value: true,
    errorCode: 'PROVIDER_NOT_READY',
  });
});

t.test('events follow the service: changes by name, STALE while it is away, READY after', async (t) => {
  const random = createRandom(1);
  const server = await new WireServer(randomConfiguration(random, 20)).start(t);
  const flags = await startClient(t, server);
  await OpenFeature.setProviderAndWait('events', new BurgeeProvider(flags));
  const client = OpenFeature.getClient('events');
  const heard: string[] = [];
  const changed: string[] = [];
  client.addHandler(ProviderEvents.Stale, () => heard.push('stale'));
  client.addHandler(ProviderEvents.Error, () => heard.push('error'));
  client.addHandler(ProviderEvents.ConfigurationChanged, (event) =>
    changed.push(...(event?.flagsChanged ?? [])),
  );
  const [flag] = server.configuration.flags.values();
  if (flag === undefined) throw new Error('there are flags');
  await server.kill();
  await untilStatus(flags, 'stale');
  t.equal(client.providerStatus, ServerProviderStatus.STALE);
  const ready = new Promise<void>((resolve) => {
    client.addHandler(ProviderEvents.Ready, () => resolve());
  });
  // Other changes than the random ones: this flag's name is known.
  server.configuration.flags.set(flag.id, { ...flag, enabled: !flag.enabled, revision: 2 });
  server.history = 'h2';
  await server.start();
  await ready;
  await untilStatus(flags, 'ready');
  t.equal(client.providerStatus, ServerProviderStatus.READY);
  t.ok(changed.includes(flag.name), 'the flag that changed is named');
  server.token = 'another';
  server.cutStreams();
  await untilStatus(flags, 'error');
  t.equal(client.providerStatus, ServerProviderStatus.ERROR);
  t.equal((await client.getBooleanDetails(flag.id, false)).errorCode, undefined, 'answers stay');
  server.token = 'secret-token';
  await untilStatus(flags, 'ready');
  t.equal(client.providerStatus, ServerProviderStatus.READY);
  t.same(heard, ['stale', 'stale', 'error'], 'the cut connection, and the refusal');
});

t.test('a provider that begins with a file is STALE, and one with nothing is in ERROR', async (t) => {
  const server = await new WireServer(randomConfiguration(createRandom(1), 5)).start(t);
  await server.kill();
  const bootstrap = server.snapshot as never;
  const stale = new BurgeeProvider(await startClient(t, server, { bootstrap, startTimeoutMs: 20 }));
  await OpenFeature.setProviderAndWait('stale', stale);
  const client = OpenFeature.getClient('stale');
  if (client.providerStatus !== ServerProviderStatus.STALE) {
    await new Promise<void>((resolve) => client.addHandler(ProviderEvents.Stale, () => resolve()));
  }
  t.equal(client.providerStatus, ServerProviderStatus.STALE);
  // Long enough for a refused connection on a busy machine.
  const empty = new BurgeeProvider(await startClient(t, server, { startTimeoutMs: 1000 }));
  await t.rejects(OpenFeature.setProviderAndWait('empty', empty), /cannot be reached/);
  t.equal(OpenFeature.getClient('empty').providerStatus, ServerProviderStatus.ERROR);
});

t.test('a provider that is closed while it is being initialized leaves nothing open', async (t) => {
  const server = await new WireServer(randomConfiguration(createRandom(1), 5)).start(t);
  // No answer comes: the client waits for as long as it may.
  const asked = new Promise<ServerResponse>((resolve) => {
    server.fault = (_request, response) => {
      resolve(response);
      return true;
    };
  });
  const { url, token } = server;
  const where = { url, token, project: 'Qm4ZtR9bNdk3VvX0aPq1', environment: 'production' };
  const provider = new BurgeeProvider({ ...where, startTimeoutMs: 200 });
  const initialized = provider.initialize();
  const over = once(await asked, 'close');
  await provider.onClose();
  await t.rejects(initialized, /closed while it was being initialized/);
  await over;
  t.equal(provider.client, null);
});
