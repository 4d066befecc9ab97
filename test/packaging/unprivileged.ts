import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Lifetime } from '../support/lifetime.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const nobody = 65534;

/** The command prefix that runs a program as a user who owns nothing. Empty if this process is not root. */
export const unprivilegedPrefix: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--no-new-privs']
    : [];

/** User and group id of the unprivileged program; null if they are this process's own. */
export const unprivilegedIds = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : null;

/** A PATH with this process's Node first, and with the folders in which Debian keeps servers. */
export const unprivilegedPath = [dirname(process.execPath), process.env['PATH'], '/usr/sbin'].join(':');

/** @returns false, or why that user cannot run this Node, which may lie in a home directory */
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

/** The folders of the packages that a server needs. */
function runtimePackages(): string[] {
  const lockfile = JSON.parse(
    readFileSync(join(repositoryRoot(), 'node_modules', '.package-lock.json'), 'utf8'),
  );
  const packages = Object.entries(lockfile.packages as Record<string, { dev?: boolean }>);
  return packages.filter(([, { dev }]) => dev !== true).map(([path]) => path);
}

/**
 * @returns this checkout, or a copy of the files that run, which that user can reach: a checkout may lie in a home
 * directory
 */
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
