import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type DebianPrograms, debianPrograms } from '../../support/debian-programs.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

/**
 * Debian's Chromium as a program without windows: the same engine without the address bar, tabs and profile of a window,
 * which take CPU time in each page that a test opens. As root on Debian, it is installed if missing; where there is none,
 * the whole Chromium serves.
 */
export function findChromium(): DebianPrograms {
  return debianPrograms('chromium-headless-shell');
}

/** Debian's Chromium as people use it, for what is measured. As root on Debian, it is installed if missing. */
export function findWholeChromium(): DebianPrograms {
  return debianPrograms('chromium');
}

/** Starts a browser without a window. It is closed when the test ends. */
export async function startChromium(t: Lifetime, programs: DebianPrograms): Promise<Browser> {
  const [program] = Object.values(programs.paths);
  if (program === undefined) throw new Error('no browser was found');
  const browser = await chromium.launch({
    executablePath: join(repositoryRoot(), 'test', 'browser', 'support', 'chromium.sh'),
    env: { ...process.env, BURGEE_TEST_CHROMIUM: program },
    // Chromium does not start as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--font-render-hinting=none', '--disable-lcd-text'],
  });
  t.teardown(() => browser.close());
  return browser;
}
