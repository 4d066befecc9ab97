/*
 * npm run screenshots [-- NAME…]: takes a picture of every screen of the console, or of those whose name contains one of
 * the words, over the demo: light and dark, wide and narrow, into docs/screenshots.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type ConsoleWindow, setStage } from './support/console-stage.ts';
import { furnishDemo, makeDemo, openDemo } from './support/furnished-demo.ts';
import { type Screen, screensOf } from './support/screens.ts';

const widths = [1440, 390] as const;
const schemes = ['light', 'dark'] as const;
/** As much as a first look shows, and how much more of a long page. */
const heights = { 1440: { min: 900, max: 1600 }, 390: { min: 844, max: 2000 } } as const;
const folder = join(repositoryRoot(), 'docs', 'screenshots');

/** The page as a whole, as far as it goes: the window grows, so that what is fixed to its edges stays there. */
async function takePicture(
  window: ConsoleWindow,
  screen: Screen,
  width: (typeof widths)[number],
  path: string,
): Promise<void> {
  const { page, open } = window;
  const { min, max } = heights[width];
  await page.setViewportSize({ width, height: min });
  await open(screen.path);
  await screen.show(page);
  const wanted = await page.locator('html').evaluate('(element) => element.scrollHeight');
  await page.setViewportSize({ width, height: Math.min(Math.max(Number(wanted), min), max) });
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
}

async function takeAll(t: Lifetime, words: readonly string[]): Promise<readonly string[]> {
  const dataDir = temporaryDirectory(t);
  const link = await makeDemo(dataDir);
  const stage = await setStage(t, { dataDir });
  const { page } = await openDemo(stage, link);
  const all = screensOf(await furnishDemo(t, stage, page));
  const screens = all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const storageState = await page.context().storageState();
  for (const colorScheme of schemes) {
    const guest = await stage.window({ colorScheme });
    const member = await stage.window({ colorScheme, storageState });
    for (const screen of screens) {
      for (const width of widths) {
        const path = join(folder, `${screen.name}-${colorScheme}-${width}.png`);
        await takePicture(screen.isPublic ? guest : member, screen, width, path);
      }
    }
    console.log(`${screens.length * widths.length} pictures, ${colorScheme}`);
  }
  return stage.windows.flatMap(({ watch }) => watch.troubles);
}

mkdirSync(folder, { recursive: true });
const troubles = await withLifetime((t) => takeAll(t, process.argv.slice(2)));
for (const trouble of troubles) console.error(trouble);
process.exitCode = troubles.length === 0 ? 0 : 1;
