import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type DebianPrograms, debianPrograms, pathOf } from '../../support/debian-programs.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

/** Debian's Chromium. As root on Debian, it is installed if missing. */
export function findChromium(): DebianPrograms {
  return debianPrograms('chromium');
}

/** Starts a browser without a window. It is closed when the test ends. */
export async function startChromium(t: Lifetime, programs: DebianPrograms): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: join(repositoryRoot(), 'test', 'browser', 'support', 'chromium.sh'),
    env: { ...process.env, BURGEE_TEST_CHROMIUM: pathOf(programs, 'chromium') },
    // Chromium does not start as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--font-render-hinting=none', '--disable-lcd-text'],
  });
  t.teardown(() => browser.close());
  return browser;
}
