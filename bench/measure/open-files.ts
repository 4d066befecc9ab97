import { readFileSync } from 'node:fs';

/** @returns how many files, sockets included, a process may have open here; null if the system does not report it */
export function readOpenFilesMax(): number | null {
  try {
    // Node raises its limit to the hard limit, the second figure, and so do the servers.
    const hard = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? null : hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  } catch {
    return null;
  }
}
