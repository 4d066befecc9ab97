import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Response } from 'playwright-core';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { consoleTest } from './support/console-stage.ts';
import { createProject } from './support/console-steps.ts';
import { becomeOwner, owner, signIn } from './support/sign-in.ts';

t.setTimeout(120_000);

/** The limit of JavaScript for a first visit, in bytes on the wire. */
const firstLoadBytesMax = 250 * 1024;

/** Every script that a page loads from now on, by address, so that a cached script counts once. */
function watchScripts(page: Page): ReadonlyMap<string, Response> {
  const scripts = new Map<string, Response>();
  page.on('response', (response) => {
    const isFirst = !scripts.has(response.url());
    if (isFirst && response.request().resourceType() === 'script') scripts.set(response.url(), response);
  });
  return scripts;
}

function compressedBytes(url: string): number {
  const path = new URL(url).pathname.replace(/^\/console\//, '');
  return statSync(join(repositoryRoot(), 'dist', 'console', `${path}.br`)).size;
}

await consoleTest(t, 'the flags are shown after 250 KB of JavaScript at most', {}, async (t, stage) => {
  const first = await stage.window();
  await becomeOwner(stage, first);
  await createProject(first.page, 'shop', []);

  const { page, ...window } = await stage.window();
  const scripts = watchScripts(page);
  await signIn({ page, ...window }, owner);
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  t.ok(scripts.size > 0);
  let bytes = 0;
  for (const [url, response] of scripts) {
    t.equal(await response.headerValue('content-encoding'), 'br', url);
    t.match(await response.headerValue('cache-control'), /immutable/, url);
    bytes += compressedBytes(url);
  }
  t.comment(`${scripts.size} scripts, ${bytes} bytes`);
  t.ok(bytes < firstLoadBytesMax, `${bytes} bytes`);
});
