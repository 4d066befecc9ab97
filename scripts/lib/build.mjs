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

/** The end of docs/supply-chain.md is generated from the lockfile. */
function writeSupplyChainPage() {
  const page = join(root, 'docs', 'supply-chain.md');
  const text = readFileSync(page, 'utf8');
  const wanted = renderSupplyChainPage(text);
  if (text !== wanted) writeFileSync(page, wanted);
}

/**
 * Makes the rest from dist/src, which must exist: the generated pages of docs, dist/docs from docs and with the packed
 * client, dist/console from src/console, and dist/server, the bundle that runs. Burgee serves dist/docs and dist/console.
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
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, '');
  return 0;
}
