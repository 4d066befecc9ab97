import { type Browser, chromium } from 'playwright-core';
import { type DebianPrograms, debianPrograms, pathOf } from '../../support/debian-programs.ts';
import type { Lifetime } from '../../support/lifetime.ts';

/** Debian's Chromium. As root on Debian, it is installed if missing. */
export function findChromium(): DebianPrograms {
  return debianPrograms('chromium');
}

/** Starts a browser without a window. It is closed when the test ends. */
export async function startChromium(t: Lifetime, programs: DebianPrograms): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: pathOf(programs, 'chromium'),
    // Chromium does not start as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--font-render-hinting=none', '--disable-lcd-text'],
  });
  t.teardown(() => browser.close());
  return browser;
}
