import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Namespaces of its own for a program, as util-linux's `unshare` makes them. */
export interface Isolation {
  /** The words before the program's own. */
  readonly prefix: readonly string[];
  /** For the options of a test: false, or why this machine does not allow it. */
  readonly skip: string | false;
}

/**
 * Looks whether namespaces may be made here: as root, or as an ordinary user inside a user namespace.
 * @param options of `unshare`, such as `--mount`
 */
export function findIsolation(...options: readonly string[]): Isolation {
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const prefix = ['unshare', ...asUser, ...options];
  const [command = '', ...arguments_] = [...prefix, 'true'];
  const { status, stderr, error } = spawnSync(command, arguments_, { encoding: 'utf8' });
  if (status === 0) return { prefix, skip: false };
  const why = (error?.message ?? stderr).trim();
  return { prefix, skip: `${prefix.join(' ')} is not allowed here: ${why}` };
}

/** @returns the process that `unshare --fork` has started: the one to signal, `unshare` itself passes nothing on. */
export function innerPid(unsharePid: number): number {
  return Number(readFileSync(`/proc/${unsharePid}/task/${unsharePid}/children`, 'utf8').trim());
}
