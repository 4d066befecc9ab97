import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/** Where programs of Debian are, or why a test cannot have them. */
export interface DebianPrograms {
  readonly paths: Readonly<Record<string, string>>;
  /** For the options of a test: false, or why it is skipped. */
  readonly skip: string | false;
}

/**
 * Finds programs that a test file needs; as root on Debian they are installed.
 *
 * @param commands of those that `scripts/lib/ensure-debian.mjs` knows
 * @throws in continuous integration, where a test that does not run must be noticed
 */
export function debianPrograms(...commands: readonly string[]): DebianPrograms {
  if (commands.length === 0) return { paths: {}, skip: false };
  const script = join(repositoryRoot(), 'scripts', 'ensure-debian.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...commands], { encoding: 'utf8' });
  if (status === 0) return { paths: JSON.parse(stdout) as Record<string, string>, skip: false };
  const problem = stderr.trim();
  if (process.env['CI'] !== undefined) throw new Error(problem);
  return { paths: {}, skip: problem };
}

/** @returns the path of a program that was found. */
export function pathOf(programs: DebianPrograms, command: string): string {
  const path = programs.paths[command];
  if (path === undefined) throw new Error(`${command} was not asked for, or is missing`);
  return path;
}
