import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import t from 'tap';
import { BootedService } from '../sdk/booted-service.ts';
import { idOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { findChromium, startChromium } from './support/start-chromium.ts';

t.setTimeout(180_000);

const programs = findChromium();
const example = join(repositoryRoot(), 'src/sdk/package/examples/browser-page.mjs');

t.test('the page of burgee-client’s examples follows a flag by OFREP', { skip: programs.skip }, async (t) => {
  const service = await BootedService.boot(t, {
    organisations: [
      {
        name: 'Harbour',
        plan: 'enterprise',
        projects: [
          {
            name: 'shop',
            environments: ['production'],
            flags: [
              { name: 'checkout', environments: { production: { enabled: true, trafficPercentage: 100 } } },
            ],
            tokens: [
              { name: 'write', permission: 'write' },
              { name: 'read', permission: 'read' },
            ],
          },
        ],
      },
    ],
  });
  const bundle = await rolldown({ input: example });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const base = `http://127.0.0.1:${service.server.port}/projects/${service.project.id}/production`;
  const script = output[0].code.replaceAll('</script', '<\\/script');
  const html = `<!doctype html><meta charset="utf-8"><p id="checkout" data-project="${base}" data-user="u"></p><script type="module">${script}</script>`;
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    site.closeAllConnections();
    site.close();
  });
  const browser = await startChromium(t, programs);
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  const place = page.locator('#checkout');
  await place.filter({ hasText: 'the new checkout' }).waitFor();
  await service.patch(idOf(service.project.flags, 'checkout'), { enabled: false });
  await place.filter({ hasText: 'the old checkout' }).waitFor();
  t.equal(await place.textContent(), 'the old checkout');
});
