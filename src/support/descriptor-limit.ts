import { readFileSync } from 'node:fs';

/**
 * @returns the limit in force, which Node raises to the hard limit at its start; null for none, or where there is no
 * `/proc`
 */
export function descriptorLimit(): number | null {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return null;
  }
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}
