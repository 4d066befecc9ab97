import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @returns the directory of Burgee's `package.json`, above the compiled code. */
export function packageRoot(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`there is no package.json above ${import.meta.dirname}`);
    directory = parent;
  }
  return directory;
}

/** The version of Burgee: that of its `package.json`. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;
}
