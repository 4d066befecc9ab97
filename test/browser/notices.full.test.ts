import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { card, createFlag, createProject, dialog, notice } from './support/console-steps.ts';
import { becomeOwner } from './support/sign-in.ts';

t.setTimeout(180_000);

const longMs = 60_000;

await consoleTest(
  t,
  'a notification stays while it has the pointer or the focus, and goes by itself',
  {},
  async (t, stage) => {
    const window = await stage.window();
    const { page } = window;
    await page.clock.install();
    await becomeOwner(stage, window);
    await createProject(page, 'shop', []);
    await createFlag(page, 'gift-cards');
    await page.clock.runFor(longMs);

    await card(page, 'staging').getByRole('switch').press('Space');
    await dialog(page).getByRole('button', { name: 'Switch on at 100%' }).click();
    const switched = notice(page, 'gift-cards is on in staging.');
    await switched.hover();
    await page.clock.runFor(longMs);
    t.ok(await switched.isVisible(), 'it is pointed at');
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).focus();
    await page.mouse.move(0, 0);
    await page.clock.runFor(longMs);
    t.ok(await switched.isVisible(), 'it has the focus');
    await card(page, 'staging').getByRole('switch').focus();
    await page.clock.runFor(longMs);
    await switched.waitFor({ state: 'detached' });
  },
);
