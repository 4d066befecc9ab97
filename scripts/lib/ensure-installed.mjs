import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { run } from './run.mjs';

function readJson(...path) {
  const file = join(root, ...path);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/**
 * Whether node_modules holds what the lockfile says. An optional package may be for another platform, and is not
 * required. Without the tests' packages, the direct dependencies stand for the others, which npm installs with them.
 */
function isInstalled(withTests) {
  const { dependencies, devDependencies } = readJson('package.json');
  const direct = new Set(
    Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`),
  );
  const installed = readJson('node_modules', '.package-lock.json').packages ?? {};
  return Object.entries(readJson('package-lock.json').packages).every(([path, { version, optional }]) => {
    if (version === undefined || path === '') return true;
    const isRequired = !optional && (withTests || direct.has(path));
    return installed[path] === undefined ? !isRequired : installed[path].version === version;
  });
}

/** The npm that runs this script, if one does. */
function npm(args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return run(process.execPath, [script, ...args]);
  const isWindows = process.platform === 'win32';
  return run(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows });
}

/** The HTTP server's package has a build of 5 MB for each platform and Node: removes those for other platforms. */
function removeForeignBuilds() {
  const folder = join(root, 'node_modules', 'uWebSockets.js', 'dist', 'bin');
  const own = `uws_${process.platform}_${process.arch}_`;
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (!name.startsWith(own)) rmSync(join(folder, name));
}

async function install(withTests) {
  if (isInstalled(withTests)) return;
  console.error('Installing dependencies (npm ci) ...');
  // npm would warn that the HTTP server's package says it wants Node 22; it runs on 20 too.
  const code = await npm(['ci', '--loglevel=error', ...(withTests ? [] : ['--workspaces=false'])]);
  if (code !== 0) {
    console.error('The dependencies could not be installed: see above, then try again.');
    process.exit(1);
  }
  removeForeignBuilds();
}

/** Installs what is missing to run, build, test and check. Ends the process when that fails. */
export function ensureInstalled() {
  return install(true);
}

/** Installs what is missing to run and build. What only tests need is in test/package.json, and is left as it is. */
export function ensureBuildInstalled() {
  return install(false);
}
