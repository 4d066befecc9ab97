import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** @returns the folder of an installed package: in its own `node_modules`, or in one further up. */
export function packageFolder(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const places = folders.map((folder) => join(folder, name));
  return places.find((place) => existsSync(place)) ?? join(packageRoot(), 'node_modules', name);
}

/** The version of Burgee: that of its `package.json`. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;
}
