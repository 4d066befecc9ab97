import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { repositoryRoot } from '../support/repository-root.ts';

export interface BuildOutcome {
  readonly status: number | null;
  readonly complaints: string;
}

/** Runs `scripts/build-docs.mjs` on a folder of Markdown. */
export function buildDocs(source: string, target: string): BuildOutcome {
  const script = join(repositoryRoot(), 'scripts/build-docs.mjs');
  const built = spawnSync(process.execPath, [script, '--source', source, '--target', target], {
    encoding: 'utf8',
  });
  return { status: built.status, complaints: built.stderr };
}

/** Writes files by path below a directory. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

/** @returns every file below a directory by path. */
export function readFiles(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.sort().map((path) => [relative(directory, path), readFileSync(path, 'utf8')]));
}
