import t from 'tap';
import { connectProvider, flagdPortOf } from '../flagd/flagd-fixture.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { consoleTest } from './support/console-stage.ts';
import { dialog, goTo } from './support/console-steps.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(180_000);

let place = '';
let path = '';
let secret = '';

async function prepare(dataDir: string, scratchDir: string): Promise<void> {
  const project = {
    name: 'shop',
    environments: ['production', 'staging'],
    flags: [{ name: 'gift-cards' }],
    tokens: [{ name: 'app', permission: 'read' }],
  };
  const members = [{ ...owner, role: 'owner' }];
  const document = { organisations: [{ name: 'Acme', plan: 'enterprise', members, projects: [project] }] };
  const shop = projectOf(await provision(dataDir, scratchDir, document), 'shop');
  place = `${shop.id}/staging`;
  path = `/sync/v1/${place}`;
  secret = tokenOf(shop, 'app').secret;
}

await consoleTest(t, "a project's page shows who is connected by sync", { prepare }, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await signIn(window, owner);
  await page.getByRole('link', { name: 'gift-cards' }).waitFor();
  await goTo(page, 'Clients');
  await page.getByRole('heading', { name: 'No program follows this project' }).waitFor();
  t.equal(
    await page.getByRole('main').getByRole('link', { name: 'token' }).count(),
    1,
    'it says how to connect',
  );

  const ends = new AbortController();
  t.teardown(() => ends.abort());
  const connected = await fetch(`${stage.origin}${path}`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
    signal: ends.signal,
  });
  t.equal(connected.status, 200);
  const reader = connected.body?.getReader();
  await reader?.read();
  const row = page.getByRole('row', { name: /staging/ });
  await row.getByText('1 program').waitFor();
  await row.getByText('Up to date').waitFor();
  t.equal(await page.getByRole('row').count(), 2, 'environments without a program are left out');

  ends.abort();
  await reader?.cancel().catch(() => undefined);
  await page.getByRole('heading', { name: 'No program follows this project' }).waitFor();
});

await consoleTest(
  t,
  'a flag whose programs report no evaluations is not called unused',
  { prepare, settings: { BURGEE_FLAGD_SYNC_PORT: '0' } },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('link', { name: 'gift-cards' }).click();
    await page.getByRole('tab', { name: 'Evaluations' }).click();
    await page.getByRole('heading', { name: 'No evaluations in the last 24 hours' }).waitFor();
    await page.getByText('Programs with a flagd provider report none.').waitFor();

    const port = await flagdPortOf(stage.server);
    const provider = await connectProvider({ port, selector: `${place},token=${secret}` });
    t.teardown(() => provider.close());
    t.equal(await provider.client.getBooleanValue('gift-cards', true), false, 'the flag is asked for');
    await page.getByText('They report no evaluations, so the flag may be in use all the same.').waitFor();
    t.equal(await page.getByRole('heading', { name: 'No evaluations in the last 24 hours' }).count(), 1);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete flag' }).click();
    await dialog(page).getByText('No evaluations in the last 24 hours.').waitFor();
    t.match(await dialog(page).textContent(), /so the flag may be in use all the same[.]/);
  },
);
