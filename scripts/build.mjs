// npm run build: src to dist/src and to the bundle in dist/server that runs, docs to the pages in dist/docs and src/console
// to the web app in dist/console, both of which Burgee serves.
import './lib/require-node.mjs';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildStamp } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runNode, runTool } from './lib/run.mjs';

/** TypeScript believes its own notes even when what they tell of is gone. */
function forgetStaleNotes() {
  if (!existsSync(join(root, 'dist', 'src', 'main.js'))) {
    rmSync(join(root, 'dist', '.tsbuildinfo-src'), { force: true });
  }
}

/** docs/configuration.md is what the settings say of themselves. */
async function writeConfigurationPage() {
  const compiled = join(root, 'dist', 'src', 'config', 'configuration-page.js');
  const { renderConfigurationPage } = await import(pathToFileURL(compiled).href);
  const page = join(root, 'docs', 'configuration.md');
  const text = renderConfigurationPage();
  if (!existsSync(page) || readFileSync(page, 'utf8') !== text) writeFileSync(page, text);
}

async function build() {
  rmSync(buildStamp, { force: true });
  forgetStaleNotes();
  if ((await runTool('tsc', ['-p', 'tsconfig.build.json'])) !== 0) return 1;
  await writeConfigurationPage();
  for (const script of ['build-docs.mjs', 'build-console.mjs', 'build-server.mjs']) {
    if ((await runNode([join('scripts', script)])) !== 0) return 1;
  }
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, '');
  return 0;
}

await ensureInstalled();
process.exitCode = await build();
