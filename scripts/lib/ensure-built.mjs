import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { runNode } from './run.mjs';

/** Written when a build has come to its end. */
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

/** The newest time of change, in milliseconds, of a file or of whatever a directory holds. */
function changedAt(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  // A directory's own time tells of files that were removed.
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, changedAt(join(path, name))),
    stats.mtimeMs,
  );
}

/** Builds when there is no build, or when anything it is made of is newer. Ends the process when that fails. */
export async function ensureBuilt() {
  const builtAt = existsSync(buildStamp) ? statSync(buildStamp).mtimeMs : 0;
  if (sources.every((source) => changedAt(join(root, source)) < builtAt)) return;
  console.error('Building ...');
  if ((await runNode([join(root, 'scripts', 'build.mjs')])) !== 0) process.exit(1);
}
