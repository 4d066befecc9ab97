import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/*
 * A test file's name says how it is run: `name.test.ts`, or with marks in this order, `name.full.alone.test.ts`.
 *
 *   full     not part of the quick tier
 *   interop  part of neither tier: `npm run test:interop` runs it, against programs of others
 *   waiting  mostly waits for a window to end, another program or a registry: runs at the same time as the others
 *   alone    asserts a duration, or loads the machine: runs by itself, after all others
 */
const fileName = /^(?<name>[^.]+)(?:\.(?<tier>full|interop))?(?:\.(?<sharing>waiting|alone))?\.test\.js$/;

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
 * @returns its name without marks, its tier (`quick`, `full` or `interop`), and how it shares the machine: `waiting`,
 *   `alone` or `together`
 * @throws on an unknown mark
 */
export function testFile(path) {
  const folders = path.slice(0, path.lastIndexOf('/') + 1);
  const {
    name,
    tier = 'quick',
    sharing = 'together',
  } = fileName.exec(path.slice(folders.length))?.groups ?? {};
  if (name === undefined)
    throw new Error(`test/${path}: the marks of a test file are full, interop, waiting and alone`);
  return { path, name: folders + name, tier, sharing };
}

/**
 * The compiled test files to run.
 * @param patterns parts of paths, of any tier; without any, a whole tier
 * @param isFull whether that tier is the full one
 */
export function chooseTestFiles(patterns, isFull) {
  const files = pathsIn('').map(testFile);
  if (patterns.length > 0) return files.filter(({ path }) => patterns.some((part) => path.includes(part)));
  return files.filter(({ tier }) => tier === 'quick' || (isFull && tier === 'full'));
}
