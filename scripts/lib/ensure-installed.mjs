import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { run } from './run.mjs';

function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

/**
 * Whether node_modules holds what the lockfile says. An optional package may be for another platform, and is not
 * required.
 */
function isInstalled() {
  const expected = Object.entries(packagesOf(join(root, 'package-lock.json')));
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  return expected.every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

/** The npm that runs this script, if one does. */
function npm(args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return run(process.execPath, [script, ...args]);
  const isWindows = process.platform === 'win32';
  return run(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows });
}

/** Installs what is missing. Ends the process when that fails. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  console.error('Installing dependencies (npm ci) ...');
  // npm would warn that the HTTP server's package says it wants Node 22; it runs on 20 too.
  const code = await npm(['ci', '--loglevel=error']);
  if (code === 0) return;
  console.error('The dependencies could not be installed: see above, then try again.');
  process.exit(1);
}
