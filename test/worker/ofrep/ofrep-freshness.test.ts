import t from 'tap';
import { flagOf, startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

t.test('a change that was acknowledged is shown to the next request, on every worker', async (t) => {
  const { shop, ask, manage } = await startOfrep(t, { BURGEE_WORKERS: '3' });
  const base = `/projects/${shop.id}/production`;
  const id = flagOf(shop, 'dark');
  let etag = '';
  for (let change = 0; change < 25; change += 1) {
    const enabled = change % 2 === 0;
    const state = { enabled, trafficPercentage: 100 };
    t.equal((await manage(shop, 'PATCH', `/flags/${id}?env=production`, state)).status, 200);
    // Eight connections, spread over the workers.
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, (_unused, index) => ask(base, index % 2 === 0 ? id : 'dark')),
      ...Array.from({ length: 4 }, () => ask(base, null, {}, { 'If-None-Match': etag })),
    ]);
    for (const { status, json, headers } of answers) {
      t.equal(status, 200);
      const flag = 'flags' in json ? json.flags.find(({ key }: { key: string }) => key === 'dark') : json;
      t.equal(flag.value, enabled);
      etag = headers.get('etag') ?? etag;
    }
  }
});
