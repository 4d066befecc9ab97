import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/*
 * A test file's name says how it is run: `name.test.ts`, or with marks in this order, `name.full.alone.test.ts`.
 *
 *   full      left out of the quick tier
 *   waiting   waits for most of its time, for a window to end or for another program: goes beside the others
 *   alone     asserts how long something takes, or loads the machine: gets it for itself, after all others
 */
const fileName = /^(?<name>[^.]+)(?<full>\.full)?(?:\.(?<sharing>waiting|alone))?\.test\.js$/;

function pathsIn(folder) {
  return readdirSync(join(root, 'dist', 'test', folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return pathsIn(path);
    return entry.name.endsWith('.test.js') ? [path] : [];
  });
}

/**
 * Reads a file's name.
 * @param path below dist/test
 * @returns its name without marks, whether it is of the full tier only, and its sharing: `waiting`, `alone` or `together`
 * @throws on a mark that is not known
 */
export function testFile(path) {
  const folders = path.slice(0, path.lastIndexOf('/') + 1);
  const { name, full, sharing = 'together' } = fileName.exec(path.slice(folders.length))?.groups ?? {};
  if (name === undefined)
    throw new Error(`test/${path}: the marks of a test file are full, waiting and alone`);
  return { path, name: folders + name, isFullOnly: full !== undefined, sharing };
}

/**
 * The compiled test files to run.
 * @param wanted parts of paths, of either tier; when there is none, a whole tier is meant
 * @param isFull which one
 */
export function chooseTestFiles(wanted, isFull) {
  const files = pathsIn('').map(testFile);
  if (wanted.length > 0) return files.filter(({ path }) => wanted.some((part) => path.includes(part)));
  return isFull ? files : files.filter(({ isFullOnly }) => !isFullOnly);
}
