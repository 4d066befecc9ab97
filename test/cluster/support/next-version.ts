import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootOptions } from '../../support/booted-server.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const present = /export const recordsFormat = (\d+);/;

/**
 * The version after this one: the same source, compiled, whose records have the next format.
 * @returns how to start it
 */
export function nextVersion(t: Lifetime): NonNullable<BootOptions['spawn']> {
  const dist = join(repositoryRoot(), 'dist');
  // Below the repository, where its packages are found.
  const folder = mkdtempSync(join(dist, 'next-version-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(dist, 'src'), folder, { recursive: true });
  const file = join(folder, 'storage', 'replica', 'log-row.js');
  const source = readFileSync(file, 'utf8');
  const format = Number(present.exec(source)?.[1]);
  if (!(format >= 1)) throw new Error(`${file} names no format`);
  writeFileSync(file, source.replace(present, `export const recordsFormat = ${format + 1};`));
  return (words, settings = {}): ChildProcessWithoutNullStreams => {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(BURGEE_|TAP|NODE_V8)/.test(name));
    const env = { ...Object.fromEntries(inherited), ...settings };
    return spawn(process.execPath, [join(folder, 'main.js'), ...words], { env, cwd: repositoryRoot() });
  };
}
