import t, { type Test } from 'tap';
import { type ConsoleStage, type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { findViolations } from './support/find-violations.ts';
import { type FurnishedDemo, furnishDemo, makeDemo } from './support/furnished-demo.ts';
import { type Screen, screensOf } from './support/screens.ts';
import { becomeOwner, owner, signIn } from './support/sign-in.ts';

t.setTimeout(300_000);

async function check(t: Test, window: ConsoleWindow, screen: Screen): Promise<void> {
  await window.open(screen.path);
  await screen.show(window.page);
  const { passed, lines } = await findViolations(window.page);
  t.ok(passed > 0, `${screen.name}: axe has looked`);
  t.same(lines, [], `${screen.name}: without violations`);
}

/** Every screen in one theme. */
async function checkAll(
  t: Test,
  stage: ConsoleStage,
  demo: FurnishedDemo,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const guest = await stage.window({ colorScheme });
  const member = await stage.window({ colorScheme });
  await signIn(member, owner);
  await member.page.getByRole('heading', { level: 1 }).waitFor();
  for (const screen of screensOf(demo)) await check(t, screen.isPublic ? guest : member, screen);
}

const prepare = async (dataDir: string): Promise<void> => void (await makeDemo(dataDir));

await consoleTest(t, 'axe finds nothing on any screen in either theme', { prepare }, async (t, stage) => {
  const first = await stage.window();
  await becomeOwner(stage, first);
  const demo = await furnishDemo(t, stage, first.page);
  await t.test('light', (t) => checkAll(t, stage, demo, 'light'));
  await t.test('dark', (t) => checkAll(t, stage, demo, 'dark'));
});
