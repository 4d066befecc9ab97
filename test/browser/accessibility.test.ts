import t, { type Test } from 'tap';
import { type ConsoleStage, type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { findViolations } from './support/find-violations.ts';
import { furnishDemo, makeDemo, openDemo } from './support/furnished-demo.ts';
import { type Screen, screensOf } from './support/screens.ts';

t.setTimeout(300_000);

async function check(t: Test, window: ConsoleWindow, screen: Screen): Promise<void> {
  await window.open(screen.path);
  await screen.show(window.page);
  const { passed, lines } = await findViolations(window.page);
  t.ok(passed > 0, `${screen.name}: axe has looked`);
  t.same(lines, [], `${screen.name}: without violations`);
}

let link = '';
const prepare = async (dataDir: string): Promise<void> => {
  link = await makeDemo(dataDir);
};

await consoleTest(t, 'axe finds nothing on any screen in either theme', { prepare }, async (t, stage) => {
  const { page } = await openDemo(stage, link);
  const screens = screensOf(await furnishDemo(t, stage, page));
  const storageState = await page.context().storageState();
  const checkAll = async (t: Test, stage: ConsoleStage, colorScheme: 'light' | 'dark'): Promise<void> => {
    const guest = await stage.window({ colorScheme });
    const member = await stage.window({ colorScheme, storageState });
    for (const screen of screens) await check(t, screen.isPublic ? guest : member, screen);
  };
  await t.test('light', (t) => checkAll(t, stage, 'light'));
  await t.test('dark', (t) => checkAll(t, stage, 'dark'));
});
