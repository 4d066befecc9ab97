import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Separate namespaces for a program, made by util-linux's `unshare`. */
export interface Isolation {
  /** The command prefix of the program. */
  readonly prefix: readonly string[];
  /** For a test's options: false, or why this machine does not allow namespaces. */
  readonly skip: string | false;
}

/**
 * Checks whether namespaces can be made here: as root, or as an ordinary user in a user namespace.
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

/**
 * @returns the process that `unshare --fork` has started. Signals must go to it, because `unshare` does not pass them
 * on.
 */
export function innerPid(unsharePid: number): number {
  return Number(readFileSync(`/proc/${unsharePid}/task/${unsharePid}/children`, 'utf8').trim());
}
