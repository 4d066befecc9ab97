import { readFileSync } from 'node:fs';

/** @returns how many files, sockets among them, a process may have open here; null where that is not told */
export function readOpenFilesMax(): number | null {
  try {
    // Node raises its own limit to the hard one, the second of the two, and so do the servers.
    const hard = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? null : hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  } catch {
    return null;
  }
}
