import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Tool } from './campaign.ts';

/**
 * Makes sure that the programs are there: where one is missing, Debian's package is installed, which takes root.
 * @returns null, or why it could not be done.
 */
export function ensureTools(tools: readonly Tool[]): string | null {
  const missing = tools.filter(({ command }) => !isInstalled(command));
  if (missing.length === 0) return null;
  const packages = [...new Set(missing.flatMap(({ debianPackages }) => debianPackages))];
  const names = missing.map(({ command }) => command).join(', ');
  const advice = `missing: ${names}; on Debian: apt-get install ${packages.join(' ')}`;
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) return advice;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (arguments_: readonly string[]) => spawnSync('apt-get', arguments_, { env, encoding: 'utf8' });
  run(['update']);
  const { stderr } = run(['install', '-y', '--no-install-recommends', ...packages]);
  const isMissingStill = missing.some(({ command }) => !isInstalled(command));
  return isMissingStill ? `${advice} (it was tried: ${(stderr ?? '').trim().slice(-300)})` : null;
}

function isInstalled(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder, command)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
