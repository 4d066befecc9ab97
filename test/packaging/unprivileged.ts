import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

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
