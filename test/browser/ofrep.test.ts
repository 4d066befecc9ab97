import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import t, { type Test } from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { flagOf, startOfrep } from '../worker/ofrep/ofrep-fixture.ts';
import type { OfrepPage } from './support/ofrep-page.ts';
import { findChromium, startChromium } from './support/start-chromium.ts';

t.setTimeout(180_000);

const programs = findChromium();

/** A page of another origin, with OpenFeature's web SDK and its provider of OFREP. */
async function servePage(t: Test): Promise<string> {
  const bundle = await rolldown({ input: join(repositoryRoot(), 'dist/test/browser/support/ofrep-page.js') });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  const html = `<!doctype html><title>OFREP</title><script>${output[0].code.replaceAll('</script', '<\\/script')}</script>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

t.test(
  "OpenFeature's web provider, in a browser and from another origin",
  { skip: programs.skip },
  async (t) => {
    const service = await startOfrep(t);
    const { shop, server, manage } = service;
    const browser = await startChromium(t, programs);
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (fault) => faults.push(String(fault)));
    await page.goto(await servePage(t));
    const baseUrl = `http://127.0.0.1:${server.port}/projects/${shop.id}/production`;
    const details = (key: string) =>
      page.evaluate((asked) => (globalThis as unknown as { ofrep: OfrepPage }).ofrep.details(asked), key);
    const status = await page.evaluate(
      (url) =>
        (globalThis as unknown as { ofrep: OfrepPage }).ofrep.start(url, { targetingKey: 'u1', plan: 'pro' }),
      baseUrl,
    );
    t.equal(status, 'READY');
    t.match(await details('dark'), {
      flagKey: 'dark',
      value: false,
      reason: 'STATIC',
      variant: 'off',
      flagMetadata: { flagId: flagOf(shop, 'dark'), version: '1', reason: 'flag-off' },
    });
    t.match(await details('billing'), { value: false, reason: 'TARGETING_MATCH' });
    await page.evaluate(() =>
      (globalThis as unknown as { ofrep: OfrepPage }).ofrep.setContext({
        plan: ['free', 'pro'],
        region: 'eu',
      }),
    );
    t.match(await details('billing'), { value: true, reason: 'STATIC', variant: 'on' });
    const query = `/flags/${flagOf(shop, 'dark')}?env=production`;
    for (const enabled of [true, false]) {
      t.equal((await manage(shop, 'PATCH', query, { enabled })).status, 200);
      const told = () => page.evaluate(() => (globalThis as unknown as { ofrep: OfrepPage }).ofrep.changed());
      while (!(await told()).includes('dark'));
      t.match(await details('dark'), { value: enabled, variant: enabled ? 'on' : 'off' });
    }
    t.same(faults, []);
  },
);
