import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import t from 'tap';
import { flagOf, startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

t.test("OpenFeature's provider of servers", async (t) => {
  const { shop, solo, closed, server, manage } = await startOfrep(t);
  const clientOf = async (base: string, headers: Record<string, string> = {}) => {
    const baseUrl = `http://127.0.0.1:${server.port}${base}`;
    const provider = new OFREPProvider({ baseUrl, headers });
    await OpenFeature.setProviderAndWait(base, provider);
    return OpenFeature.getClient(base);
  };
  t.teardown(() => OpenFeature.close());
  const client = await clientOf(`/projects/${shop.id}/production`);
  const paying = { targetingKey: 'u1', plan: 'pro', region: 'eu', age: 42, since: new Date() };
  t.match(await client.getBooleanDetails('billing', false, paying), {
    flagKey: 'billing',
    value: true,
    reason: 'STATIC',
    variant: 'on',
    flagMetadata: { flagId: flagOf(shop, 'billing'), flagSetId: `${shop.id}/production`, version: '1' },
  });
  // This provider does not encode keys: a question mark would end the path.
  const id = flagOf(shop, 'search/new?');
  t.match(await client.getBooleanDetails(id, false, { cohort: ['x', 'vip'] }), {
    value: true,
    reason: 'TARGETING_MATCH',
  });
  t.equal(await client.getBooleanValue('für 50%', false), true);
  t.match(
    await client.getBooleanDetails('dark', true),
    { value: false, reason: 'STATIC' },
    'off beats the default',
  );
  for (const enabled of [true, false]) {
    const state = { enabled, trafficPercentage: 100 };
    await manage(shop, 'PATCH', `/flags/${flagOf(shop, 'dark')}?env=production`, state);
    t.equal(await client.getBooleanValue('dark', !enabled), enabled, 'the next question sees the change');
  }
  t.match(await client.getBooleanDetails('nothing', true), { value: true, errorCode: 'FLAG_NOT_FOUND' });
  t.match(await (await clientOf(`/projects/${shop.id}/nowhere`)).getBooleanDetails('billing', true), {
    value: true,
    errorCode: 'FLAG_NOT_FOUND',
  });
  t.match(await (await clientOf(`/projects/${closed.id}`)).getBooleanDetails('secret', true), {
    value: true,
    reason: 'ERROR',
  });
  t.equal(await (await clientOf(`/projects/${solo.id}/`)).getBooleanValue('banner', false), true);
});
