import type { Page } from 'playwright-core';
import t from 'tap';
import { createHttpClient } from '../support/http-client.ts';
import { idOf, type ProvisionedProject, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { consoleTest } from './support/console-stage.ts';
import { withAxe } from './support/find-violations.ts';
import { setColours } from './support/set-colours.ts';

/* The page at /docs/openapi: read and tried in a browser. */
t.setTimeout(180_000);

let shop: ProvisionedProject;

async function prepare(dataDir: string, scratchDir: string): Promise<void> {
  const project = {
    name: 'shop',
    environments: ['production', 'staging'],
    audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
    flags: [
      {
        name: 'checkout',
        environments: { production: { enabled: true, trafficPercentage: 100, audience: 'Pro' } },
      },
    ],
    tokens: [{ name: 'ci', permission: 'write' }],
  };
  const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] };
  shop = projectOf(await provision(dataDir, scratchDir, document), 'shop');
}

function request(page: Page, summary: string) {
  const form = page.getByRole('form', { name: `Request: ${summary}` });
  return {
    field: (name: string) => form.getByLabel(new RegExp(`^${name}\\b`)),
    curl: () => form.locator('.language-curl').textContent(),
    /** Ends when the page shows the answer to this request. */
    send: async (shown: RegExp): Promise<void> => {
      const answered = page.waitForResponse((response) => !response.url().includes('/docs/'));
      await form.getByRole('button', { name: 'Send request' }).click();
      await answered;
      await form.getByRole('status').filter({ hasText: shown }).waitFor();
    },
  };
}

await consoleTest(t, 'the API can be read and tried', { prepare }, async (t, stage) => {
  const window = await stage.window();
  const { page, open, watch } = window;
  watch.expectStatus(400, 401);
  const secret = tokenOf(shop, 'ci').secret;
  const flagId = idOf(shop.flags, 'checkout');
  await open('/docs/openapi');

  // An evaluation: blanks and signs are encoded, and an attribute is a parameter of its own.
  const evaluate = request(page, 'Ask whether a flag is on for a caller');
  await evaluate.field('flag_id').fill(flagId);
  await evaluate.field('env').fill('production');
  await evaluate.field('cohort').fill('a b+c');
  await evaluate.field('attributes').fill('plan=pro\nnote=x=y');
  await evaluate.send(/200.*"name": "checkout",\s*"enabled": true/s);
  t.match(
    await evaluate.curl(),
    `${stage.origin}/v1/flags/${flagId}?env=production&cohort=a%20b%2Bc&plan=pro&note=x%3Dy`,
  );

  // Without a token, and with one. It is shown in no command, and stored nowhere.
  const patch = request(page, 'Change the state of a flag');
  await patch.field('id').fill(flagId);
  await patch.field('env').fill('production');
  await patch.field('Body').fill('{"trafficPercentage": 10}');
  await patch.send(/401.*Missing bearer token/s);
  await page.getByLabel('Bearer token').fill(secret);
  t.equal(await patch.field('dryRun').inputValue(), 'true', 'nothing is written unless it is wanted');
  await patch.send(/200.*"trafficPercentage": 10/s);
  const command = (await patch.curl()) ?? '';
  t.match(command, /-H "Authorization: Bearer \$TOKEN"/);
  t.notMatch(command, secret);
  const read = async (): Promise<string> => {
    const client = createHttpClient(t, { port: stage.server.port });
    const path = `/api/v1/flags/${flagId}?env=production`;
    return (await client.send({ path, headers: { authorization: `Bearer ${secret}` } })).text;
  };
  t.match(await read(), '"trafficPercentage":100', 'the dry run changed nothing');
  await patch.field('dryRun').selectOption('not sent');
  await patch.send(/200.*"changed": true/s);
  t.match(await read(), '"trafficPercentage":10');
  const create = request(page, 'Create a flag');
  await create.field('Body').fill('{');
  await create.send(/400.*Invalid request/s);

  const kept = await page.evaluate(
    '[localStorage.length, sessionStorage.length, document.cookie, location.href]',
  );
  t.same(kept, [0, 0, '', `${stage.origin}/docs/openapi`]);
  await page.reload();
  t.equal(await page.getByLabel('Bearer token').inputValue(), '', 'a reload forgets it');
  await page.getByLabel('Bearer token').fill(secret);
  await page.goto(`${stage.origin}/docs/limits`);
  await page.goBack();
  t.equal(await page.getByLabel('Bearer token').inputValue(), '', 'so does leaving the page');
});

await consoleTest(t, 'the keyboard is enough to send a request', { prepare }, async (t, stage) => {
  const { page, open } = await stage.window();
  await open('/docs/openapi#read-health');
  await page.keyboard.press('Tab');
  const form = page.getByRole('form', { name: 'Request: Ask whether the service can evaluate' });
  const focused = form.locator('[type=submit]:focus');
  for (let step = 0; step < 10 && (await focused.count()) === 0; step += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await form.getByText('"status": "ok"').waitFor();
  t.equal(await focused.count(), 1, 'the button keeps the focus');
});

await consoleTest(t, 'it is accessible, and fits a phone', { prepare }, async (t, stage) => {
  for (const width of [1280, 390]) {
    const { page, open } = await stage.window({ viewport: { width, height: 844 } });
    await open('/docs/openapi');
    const evaluate = request(page, 'Ask whether a flag is on for a caller');
    await evaluate.field('flag_id').fill(idOf(shop.flags, 'checkout'));
    await evaluate.field('env').fill('production');
    await evaluate.send(/200/);
    for (const answers of await page.getByText('Answers', { exact: true }).all()) await answers.click();
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    t.equal(wide, width, 'nothing is wider than the page');
    await withAxe(page, async (find) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await setColours(page, colorScheme);
        const { passed, lines } = await find({ isAtColours: colorScheme === 'dark' });
        t.ok(passed > 0);
        t.same(lines, [], `${width}, ${colorScheme}: without violations`);
      }
    });
  }
});

await consoleTest(t, 'its policy lets nothing in', { prepare }, async (t, stage) => {
  const { page, open, watch } = await stage.window();
  await open('/docs/openapi');
  watch.expectMessage(/Content Security Policy|TrustedHTML/);
  const markup = await page.evaluate(`(() => {
    try { document.body.innerHTML = '<b>x</b>'; return 'markup'; } catch { return 'refused'; }
  })()`);
  t.equal(markup, 'refused');
  const elsewhere = await page.evaluate("fetch('http://localhost:1/').then(() => 'sent', () => 'refused')");
  t.equal(elsewhere, 'refused');
  const policyOf = async (path: string) =>
    (await fetch(`${stage.origin}${path}`)).headers.get('content-security-policy');
  t.equal(
    await policyOf('/docs/openapi'),
    `${await policyOf('/docs/limits')}; connect-src 'self'`,
    'other pages send no requests',
  );
});
