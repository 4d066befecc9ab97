import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { findViolations } from './support/find-violations.ts';
import { holdAnswers } from './support/hold-answers.ts';
import { provision } from './support/provision.ts';
import { owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

const prepare = provision({ name: 'shop', environments: ['production'] });

await consoleTest(t, 'loading, empty and error look different', { prepare }, async (t, stage) => {
  const window = await stage.window();
  const { page, open } = window;
  await signIn(window, owner);
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  const picture = (): Promise<string> => page.getByRole('main').locator('svg').last().innerHTML();
  const empty = await picture();

  const list = /\/console\/api\/projects\/\w+\/flags(\?|$)/;
  const answer = await holdAnswers(page, list);
  await page.reload();
  await page.getByRole('status').filter({ hasText: 'Loading flags' }).waitFor();
  t.ok(await page.locator('[data-skeleton]').isVisible(), 'grey rows where the flags will be');
  answer();
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  await page.unroute(list);

  const address = new URL(page.url()).pathname;
  await open(`${address}/00000000000000000000`);
  window.watch.expectStatus(404);
  await page.getByRole('alert').waitFor();
  const failed = await picture();
  t.equal(new Set([empty, failed]).size, 2);
});

await consoleTest(
  t,
  'a console without its session says so in a page of its own',
  { prepare },
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await signIn(window, owner);
    await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
    await page.route('**/console/api/session', (route) => route.fulfill({ status: 500, body: 'broken' }));
    window.watch.expectStatus(500);
    // React logs every error that a page catches.
    window.watch.expectMessage(/^ConsoleError: Status 500/);
    await page.reload();
    await page.getByRole('main').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    t.same((await findViolations(page)).lines, []);
  },
);

const withToken = provision({
  name: 'shop',
  environments: ['production'],
  flags: [{ name: 'gift-cards' }],
  tokens: [{ name: 'ci', permission: 'read' }],
});

await consoleTest(
  t,
  'content that was read stays when reading it again fails',
  { prepare: withToken },
  async (t, stage) => {
    const window = await stage.window();
    const { page, watch } = window;
    await page.clock.install();
    await signIn(window, owner);
    await goTo(page, 'Tokens');
    await page.getByRole('link', { name: 'ci', exact: true }).click();
    await page.getByRole('heading', { name: 'Recent activity' }).waitFor();
    const activity = '**/console/api/projects/*/tokens/*';
    watch.expectStatus(500);
    await page.route(activity, (route) => route.fulfill({ status: 500, body: 'broken' }));
    for (const time of ['first', 'second']) {
      const answered = page.waitForResponse(activity);
      await page.clock.runFor(11_000);
      t.equal((await answered).status(), 500, time);
    }
    t.ok(await page.getByRole('heading', { level: 1, name: 'ci' }).isVisible());
    t.equal(await page.getByRole('alert').count(), 0);

    // A deleted or foreign project is not shown from memory.
    await page.unroute(activity);
    watch.expectStatus(404);
    await page.route(activity, (route) =>
      route.fulfill({ status: 404, json: { error: 'Not found', detail: 'Gone.' } }),
    );
    await page.clock.runFor(11_000);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  },
);
