import t, { type Test } from 'tap';
import { type ConsoleWindow, consoleTest } from './support/console-stage.ts';
import { findViolations } from './support/find-violations.ts';
import { furnishDemo, makeDemo, openDemo } from './support/furnished-demo.ts';
import { type Screen, screensOf } from './support/screens.ts';
import { setColours } from './support/set-colours.ts';

t.setTimeout(300_000);

/** The colours change under the open page, as they do when a system turns dark in the evening. */
async function checkScreen(t: Test, { page, open }: ConsoleWindow, screen: Screen): Promise<void> {
  await open(screen.path);
  await screen.show(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await setColours(page, colorScheme);
    const { passed, lines } = await findViolations(page);
    t.ok(passed > 0, `${screen.name}, ${colorScheme}: axe has looked`);
    t.same(lines, [], `${screen.name}, ${colorScheme}: without violations`);
  }
}

let link = '';
const prepare = async (dataDir: string): Promise<void> => {
  link = await makeDemo(dataDir);
};

await consoleTest(t, 'axe finds nothing on any screen in either theme', { prepare }, async (t, stage) => {
  const first = await openDemo(stage, link);
  const screens = screensOf(await furnishDemo(t, stage, first.page));
  const storageState = await first.page.context().storageState();
  const checkAll = async (window: ConsoleWindow, queue: Screen[]): Promise<void> => {
    for (let screen = queue.shift(); screen !== undefined; screen = queue.shift()) {
      await checkScreen(t, window, screen);
    }
  };
  const members = screens.filter(({ isPublic }) => isPublic !== true);
  const guests = screens.filter(({ isPublic }) => isPublic === true);
  // Two at a time: more cores than that are rare where this runs.
  const second = await stage.window({ storageState });
  await Promise.all([checkAll(first, members), checkAll(second, members)]);
  await checkAll(await stage.window(), guests);
});
