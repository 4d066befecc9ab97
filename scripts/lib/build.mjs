import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildStamp } from './ensure-built.mjs';
import { root } from './root.mjs';
import { runNode } from './run.mjs';
import { renderSupplyChainPage } from './supply-chain.mjs';

/** docs/configuration.md is generated from the settings' own descriptions. */
async function writeConfigurationPage() {
  const compiled = join(root, 'dist', 'src', 'config', 'configuration-page.js');
  const { renderConfigurationPage } = await import(pathToFileURL(compiled).href);
  const page = join(root, 'docs', 'configuration.md');
  const text = renderConfigurationPage();
  if (!existsSync(page) || readFileSync(page, 'utf8') !== text) writeFileSync(page, text);
}

/** Packs dist/docs and dist/console into the one file that a server reads at its start. */
async function packPages() {
  const load = (name) => import(pathToFileURL(join(root, 'dist', 'src', 'worker', 'pages', name)).href);
  const [{ loadDocsPages }, { loadWebApp }, { writePackedPages }] = await Promise.all(
    ['docs-pages.js', 'web-app.js', 'packed-pages.js'].map(load),
  );
  const folder = (name) => join(root, 'dist', name);
  const pages = { docs: loadDocsPages(folder('docs')), webApp: loadWebApp(folder('console')) };
  writePackedPages(folder('pages.pack'), pages);
}

/** The end of docs/supply-chain.md is generated from the lockfile. */
function writeSupplyChainPage() {
  const page = join(root, 'docs', 'supply-chain.md');
  const text = readFileSync(page, 'utf8');
  const expected = renderSupplyChainPage(text);
  if (text !== expected) writeFileSync(page, expected);
}

/**
 * Makes the rest from dist/src, which must exist: the generated pages of docs, dist/docs from docs and with the packed
 * client, dist/console from src/console, dist/pages.pack of both, which Burgee serves, and dist/server, the bundle that runs.
 * @returns 0, or the exit code of the first step that failed
 */
export async function assemble() {
  rmSync(buildStamp, { force: true });
  await writeConfigurationPage();
  writeSupplyChainPage();
  for (const script of ['build-docs.mjs', 'build-client.mjs', 'build-console.mjs', 'build-server.mjs']) {
    const code = await runNode([join('scripts', script)]);
    if (code !== 0) return code ?? 1;
  }
  await packPages();
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, '');
  return 0;
}
