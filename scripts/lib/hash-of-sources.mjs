import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

function* filesIn(path) {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(inner);
    else yield inner;
  }
}

/** @param sources files and folders, from the root @returns a hash of their names and content */
export function hashOfSources(sources) {
  const hash = createHash('sha256');
  const files = sources.flatMap((path) => (/[.]\w+$/.test(path) ? [path] : [...filesIn(path)]));
  for (const path of files)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}
