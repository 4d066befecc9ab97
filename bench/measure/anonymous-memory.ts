import { readFileSync } from 'node:fs';

/**
 * @returns bytes of a process's anonymous memory: neither mapped files, such as a store, nor programs. The machine must
 *   keep them; it may drop pages of files and read them again
 */
export function readAnonymousBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`the system does not tell process ${pid}'s own memory`);
  return Number(kibibytes) * 1024;
}
