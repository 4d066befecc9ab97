import { readFileSync } from 'node:fs';

/**
 * @returns bytes of memory that are a process's own: neither files that are mapped, such as a store, nor programs. They
 *   are what the machine must have; pages of files it may drop and read again
 */
export function readAnonymousBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`the system does not tell process ${pid}'s own memory`);
  return Number(kibibytes) * 1024;
}
