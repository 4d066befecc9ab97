import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/** The paths of Debian's programs, or why they are missing. */
export interface DebianPrograms {
  readonly paths: Readonly<Record<string, string>>;
  /** For a test's options: false, or the reason for a skip. */
  readonly skip: string | false;
}

/**
 * Finds programs that a test file needs. As root on Debian, installs missing ones.
 *
 * @param commands names from `scripts/lib/ensure-debian.mjs`
 * @throws in continuous integration if a program is missing, so that the test is not skipped unnoticed
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

/** @returns the path of a found program */
export function pathOf(programs: DebianPrograms, command: string): string {
  const path = programs.paths[command];
  if (path === undefined) throw new Error(`${command} was not requested, or is missing`);
  return path;
}
