import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { runNode } from './run.mjs';

/** Written at the end of a build. */
export const buildStamp = join(root, 'dist', '.built');

const sources = [
  'src',
  'docs',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** The time of the last change, in milliseconds, of a file or of anything below a directory. */
function changedAt(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  // Removing a file changes its directory's own time.
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, changedAt(join(path, name))),
    stats.mtimeMs,
  );
}

/** Whether there is a build that is newer than all its sources. */
export function isBuilt() {
  const builtAt = existsSync(buildStamp) ? statSync(buildStamp).mtimeMs : 0;
  return sources.every((source) => changedAt(join(root, source)) < builtAt);
}

/** Builds if there is no build of the present sources. Ends the process when it fails. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building ...');
  if ((await runNode([join(root, 'scripts', 'build.mjs')])) !== 0) process.exit(1);
}
