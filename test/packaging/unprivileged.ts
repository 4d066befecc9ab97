import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Lifetime } from '../support/lifetime.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const nobody = 65534;

/** The words that make a program run as a user who owns nothing, where this is root; none where this is no root. */
export const unprivilegedPrefix: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--no-new-privs']
    : [];

/** Whoever runs the unprivileged program, in numbers; null when that is this very user. */
export const unprivilegedIds = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : null;

/** This very Node first, and where Debian keeps servers. */
export const unprivilegedPath = [dirname(process.execPath), process.env['PATH'], '/usr/sbin'].join(':');

/** @returns false, or why that user cannot run this Node: it may lie in somebody's home. */
export function unprivilegedSkip(): string | false {
  const [command = '', ...arguments_] = [...unprivilegedPrefix, process.execPath, '--version'];
  const { status, stderr, error } = spawnSync(command, arguments_, { encoding: 'utf8' });
  if (status === 0) return false;
  return `${process.execPath} does not run without privileges: ${(error?.message ?? stderr).trim()}`;
}

function canRead(path: string): boolean {
  const [command = '', ...words] = [...unprivilegedPrefix, 'test', '-r', path];
  return spawnSync(command, words).status === 0;
}

/** Where npm put the packages that a server needs. */
function runtimePackages(): string[] {
  const lockfile = JSON.parse(
    readFileSync(join(repositoryRoot(), 'node_modules', '.package-lock.json'), 'utf8'),
  );
  const packages = Object.entries(lockfile.packages as Record<string, { dev?: boolean }>);
  return packages.filter(([, { dev }]) => dev !== true).map(([path]) => path);
}

/** @returns this checkout, or a copy of what runs where that user can reach it: a checkout may lie in somebody's home */
export function reachableCheckout(t: Lifetime): string {
  const root = repositoryRoot();
  if (canRead(join(root, 'package.json'))) return root;
  const copy = temporaryDirectory(t);
  chmodSync(copy, 0o755);
  const built = ['server', 'docs', 'console'].map((folder) => join('dist', folder));
  for (const path of ['package.json', 'scripts', ...built, ...runtimePackages()]) {
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true });
  }
  if (canRead(join(copy, 'package.json'))) return copy;
  throw new Error(`${copy} cannot be reached without privileges either: set TMPDIR to a folder that can`);
}
