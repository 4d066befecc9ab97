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

/** Whether there is a build, and nothing that it is made of is newer. */
export function isBuilt() {
  const builtAt = existsSync(buildStamp) ? statSync(buildStamp).mtimeMs : 0;
  return sources.every((source) => changedAt(join(root, source)) < builtAt);
}

/** Builds unless that has been done. Ends the process when it fails. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building ...');
  if ((await runNode([join(root, 'scripts', 'build.mjs')])) !== 0) process.exit(1);
}
