import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @returns the directory with `package.json`. Tests run from `dist`, and their data lies in the checkout. */
export function repositoryRoot(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`no package.json above ${import.meta.dirname}`);
    directory = parent;
  }
  return directory;
}
