/*
 * npm run screenshots [-- NAME…]: takes pictures of every screen of the console, or of those whose name contains one of
 * the words, into docs/screenshots. The screens show the demo, light and dark, wide and narrow.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { chooseByName } from './support/choose-by-name.ts';
import { type ConsoleWindow, setStage } from './support/console-stage.ts';
import { dialog } from './support/console-steps.ts';
import { demoSettings, furnishDemo, makeDemo, openDemo } from './support/furnished-demo.ts';
import { makeSmall } from './support/make-small.ts';
import type { Screen } from './support/screen.ts';
import { screensOf } from './support/screens.ts';
import { setColours } from './support/set-colours.ts';

const widths = [1440, 390] as const;
const schemes = ['light', 'dark'] as const;
/** The window's height, and the limit for a long page. */
const heights = { 1440: { min: 900, max: 1600 }, 390: { min: 844, max: 2000 } } as const;
const folder = join(repositoryRoot(), 'docs', 'screenshots');

/**
 * Takes the whole page up to the limit. The window grows, so that elements fixed to its edges stay there. With a dialog
 * or a menu open it does not grow.
 */
async function takePictures(
  { page, open, watch }: ConsoleWindow,
  screen: Screen,
  width: (typeof widths)[number],
): Promise<string[]> {
  const { min, max } = heights[width];
  watch.expectStatus(...(screen.refusals ?? []));
  await page.setViewportSize({ width, height: min });
  await open(screen.path);
  await screen.show(page);
  // Moves the pointer away, so that no element looks hovered.
  await page.mouse.move(0, 0);
  if ((await dialog(page).or(page.getByRole('menu')).count()) === 0) {
    const wanted = await page.evaluate('document.documentElement.scrollHeight');
    await page.setViewportSize({ width, height: Math.min(Math.max(Number(wanted), min), max) });
  }
  const files = schemes.map((colorScheme) => `${screen.name}-${colorScheme}-${width}.png`);
  for (const [index, colorScheme] of schemes.entries()) {
    await setColours(page, colorScheme);
    const path = join(folder, files[index] ?? '');
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  }
  return files;
}

interface Taken {
  /** Names of the pictures. */
  readonly files: readonly string[];
  /** The problems of the windows, one line each. */
  readonly troubles: readonly string[];
}

async function takeAll(t: Lifetime, words: readonly string[]): Promise<Taken> {
  const dataDir = temporaryDirectory(t);
  const link = await makeDemo(dataDir);
  const stage = await setStage(t, { dataDir, settings: demoSettings });
  const member = await openDemo(stage, link);
  const guest = await stage.window();
  const all = screensOf(await furnishDemo(t, stage, member.page));
  const screens = chooseByName(all, words);
  const files: string[] = [];
  for (const screen of screens) {
    const window = screen.isPublic ? guest : member;
    for (const width of widths) files.push(...(await takePictures(window, screen, width)));
    console.log(screen.name);
  }
  return { files, troubles: stage.windows.flatMap(({ watch }) => watch.troubles) };
}

mkdirSync(folder, { recursive: true });
const { files, troubles } = await withLifetime((t) => takeAll(t, process.argv.slice(2)));
makeSmall(folder, files);
for (const trouble of troubles) console.error(trouble);
process.exitCode = troubles.length === 0 ? 0 : 1;
