import { readdirSync, readFileSync } from 'node:fs';

/** Positions of fields in `/proc/…/stat` after the command's name, which may contain spaces: see proc(5). */
const fields = { parent: 1, user: 11, system: 12, reapedUser: 13, reapedSystem: 14 } as const;

/** @throws when there is no such process */
function readStat(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

function sumOf(pid: number, ...summed: readonly number[]): number {
  const stat = readStat(pid);
  return summed.reduce((sum, field) => sum + (stat[field] ?? Number.NaN), 0);
}

/** @returns user and system time of a process's threads, ended ones included, in clock ticks of the kernel */
export function readTicks(pid: number): number {
  return sumOf(pid, fields.user, fields.system);
}

/** @returns the same for its child processes that have ended and that it has waited for */
export function readReapedTicks(pid: number): number {
  return sumOf(pid, fields.reapedUser, fields.reapedSystem);
}

function readParents(): ReadonlyMap<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = pids.flatMap((name): [number, number][] => {
    try {
      const pid = Number(name);
      return [[pid, readStat(pid)[fields.parent] ?? 0]];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
  return new Map(parents);
}

/** @returns the living descendants of a process */
export function findChildren(pid: number): readonly number[] {
  const parents = readParents();
  const found = new Set([pid]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  found.delete(pid);
  return [...found];
}
