import { join } from 'node:path';
import { readCommit } from '../report/run-facts.ts';

/** @returns the path of Burgee's bundle in a checkout, which `npm run build` makes */
export function programIn(checkout: string): string {
  return join(checkout, 'dist', 'server', 'main.js');
}

/** @returns the short name of a checkout's commit */
export function commitOf(checkout: string): string {
  return readCommit(checkout).commit.slice(0, 10);
}
