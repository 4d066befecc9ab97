import t from 'tap';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import {
  bearer,
  bootFlagd,
  type CallOptions,
  callSync,
  changeFlag,
  encodeSelector,
  grpcClient,
  provisionFlags,
} from './flagd-fixture.ts';

t.setTimeout(120_000);

t.test('a selector, a token and their faults, each with its status of gRPC', async (t) => {
  const store = await provisionFlags(t);
  const { flagdPort, server } = await bootFlagd(t, store.dataDir);
  const client = grpcClient(t, flagdPort);
  const [shop, solo] = [store.shop.id, store.solo.id];
  const all = bearer(store.secretOf('all'));
  const endOf = async (options: CallOptions): Promise<string> => (await callSync(client, options).ended).code;
  const keysOf = async (options: CallOptions): Promise<number> => {
    const stream = callSync(client, options);
    const { flags } = await stream.configuration(0);
    stream.cancel();
    return Object.keys(flags).length;
  };

  await t.test('what is served', async (t) => {
    const production = `${shop}/production`;
    t.equal(await keysOf({ selector: production, metadata: all }), 8, 'four flags, each by id and by name');
    t.equal(await keysOf({ metadata: { ...all, 'flagd-selector': production } }), 8);
    t.equal(await keysOf({ selector: `${production},token=${store.secretOf('all')}` }), 8);
    t.equal(await keysOf({ selector: `${production},token=wrong`, metadata: all }), 8, 'metadata first');
    t.equal(await keysOf({ selector: solo, metadata: bearer(store.secretOf('solo')) }), 2);
    const staging = bearer(store.secretOf('staging-only'));
    t.equal(await keysOf({ selector: `${shop}/staging`, metadata: staging }), 8);
    const once = callSync(client, { method: 'FetchAllFlags', selector: production, metadata: all });
    t.equal((await once.ended).code, 'OK');
    t.equal(once.received.length, 1);
  });

  await t.test('what is refused', async (t) => {
    const malformed = Buffer.from([0x12, 0xff]);
    const cases: readonly (readonly [code: string, options: CallOptions])[] = [
      ['INVALID_ARGUMENT', { metadata: all }],
      ['INVALID_ARGUMENT', { selector: '', metadata: all }],
      ['INVALID_ARGUMENT', { selector: `${shop}/`, metadata: all }],
      ['INVALID_ARGUMENT', { selector: `${shop}/a/b`, metadata: all }],
      ['INVALID_ARGUMENT', { selector: `${shop}/production,key=x`, metadata: all }],
      ['INVALID_ARGUMENT', { request: malformed, metadata: all }],
      ['INVALID_ARGUMENT', { request: Buffer.from([0x12, 1, 0xff]), metadata: all }],
      ['UNAUTHENTICATED', { selector: `${shop}/production` }],
      ['UNAUTHENTICATED', { selector: `${shop}/production`, metadata: { authorization: 'Basic x' } }],
      ['UNAUTHENTICATED', { selector: `${shop}/production`, metadata: bearer('burgee_nothing') }],
      ['UNAUTHENTICATED', { selector: `${shop}/production,token=burgee_nothing` }],
      ['NOT_FOUND', { selector: `${solo}`, metadata: all }],
      ['NOT_FOUND', { selector: 'constructor/production', metadata: all }],
      ['NOT_FOUND', { selector: shop, metadata: all }],
      ['NOT_FOUND', { selector: `${shop}/nowhere`, metadata: all }],
      ['NOT_FOUND', { selector: `${solo}/production`, metadata: bearer(store.secretOf('solo')) }],
      [
        'PERMISSION_DENIED',
        { selector: `${shop}/production`, metadata: bearer(store.secretOf('staging-only')) },
      ],
      [
        'PERMISSION_DENIED',
        { selector: `${shop}/nowhere`, metadata: bearer(store.secretOf('staging-only')) },
      ],
    ];
    for (const [code, options] of cases) t.equal(await endOf(options), code, JSON.stringify(options));
    t.equal(await endOf({ method: 'FetchAllFlags', selector: shop, metadata: all }), 'NOT_FOUND');
    const tooLong = encodeSelector('x'.repeat(100_000));
    t.equal(await endOf({ request: tooLong, metadata: all }), 'RESOURCE_EXHAUSTED');
  });

  t.notOk(
    server.lines.some((line) => line.includes(store.secretOf('all'))),
    'no secret is logged',
  );
  await server.stop();
});

t.test(
  'a change of one environment is sent to its streams alone, and of many changes the last',
  async (t) => {
    const store = await provisionFlags(t);
    const { flagdPort, server } = await bootFlagd(t, store.dataDir);
    const client = grpcClient(t, flagdPort);
    const metadata = bearer(store.secretOf('all'));
    const production = callSync(client, { selector: `${store.shop.id}/production`, metadata });
    const staging = callSync(client, { selector: `${store.shop.id}/staging`, metadata });
    await Promise.all([production.configuration(0), staging.configuration(0)]);
    const checkout = store.flag('checkout');
    for (let round = 0; round < 10; round += 1) {
      const body = { enabled: round % 2 === 0, trafficPercentage: 0 };
      await changeFlag(t, server, store.secretOf('all'), `${checkout}?env=production`, body);
    }
    await changeFlag(t, server, store.secretOf('all'), `${checkout}?env=production`, {
      ...{ enabled: true, trafficPercentage: 100 },
    });
    for (let index = 1; ; index += 1) {
      const { flags } = await production.configuration(index);
      if (flags[checkout]?.defaultVariant === 'on') break;
    }
    t.equal(staging.received.length, 1);
    await changeFlag(t, server, store.secretOf('all'), `${checkout}?env=staging`, {
      ...{ enabled: true, trafficPercentage: 100 },
    });
    t.equal((await staging.configuration(1)).flags['checkout']?.defaultVariant, 'on');
    const fresh = callSync(client, {
      method: 'FetchAllFlags',
      selector: `${store.shop.id}/staging`,
      metadata,
    });
    t.equal((await fresh.configuration(0)).flags['checkout']?.defaultVariant, 'on');
    await server.stop();
  },
);

t.test('a revoked token ends its streams, and its refusals are on its page', async (t) => {
  const store = await provisionFlags(t);
  const { flagdPort, server } = await bootFlagd(t, store.dataDir);
  const client = grpcClient(t, flagdPort);
  const options = { selector: `${store.shop.id}/staging`, metadata: bearer(store.secretOf('staging-only')) };
  const stream = callSync(client, options);
  const other = callSync(client, { ...options, metadata: bearer(store.secretOf('all')) });
  await Promise.all([stream.configuration(0), other.configuration(0)]);
  const revokedAt = performance.now();
  await runBurgeeOrThrow(['token', 'revoke', store.tokenIdOf('staging-only'), '--data-dir', store.dataDir]);
  t.match(await stream.ended, { code: 'UNAUTHENTICATED', details: /revoked/ });
  t.ok(performance.now() - revokedAt < 15_000);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    t.match(await callSync(client, options).ended, { code: 'UNAUTHENTICATED', details: /has been revoked/ });
  }
  await server.stop();
  t.match(await other.ended, { code: 'UNAVAILABLE' }, 'streams of a service that stops end with a status');

  const reader = openStoreReader({ directory: store.dataDir, mapBytes: 2 ** 30 });
  t.teardown(() => reader.close());
  const route = '/flagd.sync.v1.FlagSyncService/SyncFlags';
  const [denial, ...more] = reader.queries.denialsOf(store.tokenIdOf('staging-only'));
  t.match(denial, { reason: 'token-revoked', route, address: '127.0.0.1' });
  t.same(more, [], 'one in a minute');
  const [use] = reader.queries.usesOf(store.tokenIdOf('all'));
  t.match(use, { route, environment: 'staging', address: '127.0.0.1' });
});
