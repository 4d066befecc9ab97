import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/*
 * A test file's name says how it is run: `name.test.ts`, or with marks in this order, `name.full.alone.test.ts`.
 *
 *   full     not part of the quick tier
 *   waiting  mostly waits for a window to end, another program or a registry: runs at the same time as the others
 *   alone    asserts a duration, or loads the machine: runs by itself, after all others
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
 * Reads the marks in a file's name.
 * @param path below dist/test
 * @returns its name without marks, whether only the full tier has it, and how it shares the machine: `waiting`,
 *   `alone` or `together`
 * @throws on an unknown mark
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
 * @param patterns parts of paths, of either tier; without any, a whole tier
 * @param isFull whether that tier is the full one
 */
export function chooseTestFiles(patterns, isFull) {
  const files = pathsIn('').map(testFile);
  if (patterns.length > 0) return files.filter(({ path }) => patterns.some((part) => path.includes(part)));
  return isFull ? files : files.filter(({ isFullOnly }) => !isFullOnly);
}
