import { spawnSync } from 'node:child_process';
import { debianPrograms, pathOf } from '../../support/debian-programs.ts';

/**
 * pngquant leaves a third of the bytes, because pages have few colours. Without the program the pictures stay as they
 * are.
 */
export function makeSmall(folder: string, files: readonly string[]): void {
  const programs = debianPrograms('pngquant');
  if (programs.skip !== false) {
    console.log(programs.skip);
    return;
  }
  const options = [
    '--force',
    '--skip-if-larger',
    '--strip',
    '--speed',
    '3',
    '--quality',
    '70-95',
    '--ext',
    '.png',
  ];
  const { status, stderr } = spawnSync(pathOf(programs, 'pngquant'), [...options, '--', ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  // Exit codes 98 and 99 mean that the original is better.
  if (![0, 98, 99].includes(status ?? -1)) throw new Error(`pngquant failed: ${stderr}`);
}
