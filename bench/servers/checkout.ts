import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** @returns Burgee's bundle in a checkout, which `npm run build` makes there; null when it is not built */
export function programIn(checkout: string): string | null {
  const program = join(checkout, 'dist', 'server', 'main.js');
  return existsSync(program) ? program : null;
}

/** @returns the short name of a checkout's commit */
export function commitOf(checkout: string): string {
  const options = { cwd: checkout, encoding: 'utf8' } as const;
  return execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], options).trim();
}
