import type { Page } from 'playwright-core';
import t from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { goTo } from './support/console-steps.ts';
import { withAxe } from './support/find-violations.ts';
import { setColours } from './support/set-colours.ts';
import { becomeOwner } from './support/sign-in.ts';

t.setTimeout(180_000);

const { binaries, skip } = findPostgres();

/** Rows that match all of these, in a wide window. */
function rows(page: Page, ...words: readonly string[]) {
  let found = page.getByRole('table', { name: 'Nodes' }).locator('tbody tr');
  for (const word of words) found = found.filter({ hasText: word });
  return found;
}

async function violationsOf({ page }: ConsoleWindow): Promise<readonly string[]> {
  return withAxe(page, async (find) => {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await setColours(page, colorScheme);
      found.push(...(await find({ isAtColours: colorScheme === 'dark' })).lines);
    }
    return found;
  });
}

if (binaries === null) t.test('the page of nodes', { skip }, async () => undefined);
else {
  const postgres = await startPostgres(t, binaries);
  const settings = { ...unlimited, BURGEE_CLUSTER_URL: postgres.url(), BURGEE_WORKERS: '1' };
  const prepare = async (dataDir: string): Promise<void> => {
    const { code, stderr } = await runBurgee(['cluster', 'create', '--data-dir', dataDir], settings);
    if (code !== 0) throw new Error(stderr);
  };

  await consoleTest(
    t,
    'an Owner sees the nodes, and one that dies',
    { prepare, settings },
    async (t, stage) => {
      const window = await stage.window();
      const { page } = window;
      await becomeOwner(stage, window);
      await goTo(page, 'Nodes');
      await rows(page, 'Attached', 'answers this page').waitFor();
      t.equal(await rows(page).count(), 1);

      const second = await bootServer(t, { dataDir: temporaryDirectory(t), settings });
      await rows(page, 'Attached').nth(1).waitFor();
      t.equal(await rows(page, 'answers this page').count(), 1);
      t.same(await violationsOf(window), []);

      second.signal('SIGKILL');
      await second.ended;
      await rows(page, 'Cut off').waitFor();
      await page.getByText('has not renewed the lease').waitFor();
      t.equal(await rows(page, 'Attached', 'answers this page').count(), 1);
      t.same(await violationsOf(window), []);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('list', { name: 'Nodes' }).getByText('Cut off').waitFor();
      t.same(await violationsOf(window), []);
    },
  );
}

await consoleTest(t, 'a service that is alone has no such page', {}, async (t, stage) => {
  const window = await stage.window();
  await becomeOwner(stage, window);
  const { page, watch, open } = window;
  t.equal(await page.getByRole('navigation').getByRole('link', { name: 'Nodes', exact: true }).count(), 0);
  watch.expectStatus(404);
  await open('/console/nodes');
  await page.getByText('This service is not a node of a cluster.').waitFor();
});
