import { readFileSync } from 'node:fs';

/**
 * @returns bytes of a process's anonymous memory, without mapped files (such as a store) and programs. The kernel can drop
 *   pages of files, but must keep these
 */
export function readAnonymousBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined)
    throw new Error(`the system does not report the anonymous memory of process ${pid}`);
  return Number(kibibytes) * 1024;
}
