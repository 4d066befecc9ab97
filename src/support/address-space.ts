import { readFileSync } from 'node:fs';

/**
 * What this process may still reserve of its address space (`ulimit -v`, systemd's `LimitAS`). Node and LMDB end the
 * process by a signal when they cannot have what they ask for.
 * @returns bytes; null without a limit, and where the kernel does not tell
 */
export function addressSpaceLeft(): number | null {
  const limit = numberIn('/proc/self/limits', /^Max address space +(\d+) /m);
  const used = numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB$/m);
  return limit === null || used === null ? null : Math.max(0, limit - used * 1024);
}

function numberIn(path: string, pattern: RegExp): number | null {
  try {
    const digits = pattern.exec(readFileSync(path, 'utf8'))?.[1];
    return digits === undefined ? null : Number(digits);
  } catch {
    return null;
  }
}
