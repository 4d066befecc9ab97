import { readFileSync } from 'node:fs';

/**
 * The address space that this process may still reserve (`ulimit -v`, systemd's `LimitAS`). When a reservation fails,
 * Node and LMDB end the process by a signal.
 * @returns bytes; null without a limit, and when the kernel does not report it
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
