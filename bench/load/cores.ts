import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Which of this machine's cores go to whom while latencies are measured. */
export interface CoreShare {
  readonly generator: number;
  readonly servers: readonly number[];
}

function readAllowedCores(): readonly number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/**
 * A generator that spins always has work. Where it shares its core with a server's threads, the kernel lets them take
 * turns of milliseconds, and that is what would be measured.
 *
 * @returns the last core for the generator and the others for the servers; null where cores cannot be given (one core,
 *   no `taskset`, not Linux)
 */
export function shareCores(): CoreShare | null {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).error !== undefined) return null;
  const cores = readAllowedCores();
  const generator = cores.at(-1);
  return generator === undefined || cores.length < 2 ? null : { generator, servers: cores.slice(0, -1) };
}

/** Keeps a process, with all threads that it has, to some cores. One that has ended stays as it is. */
export function keepToCores(pid: number, cores: readonly number[]): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.join(','), String(pid)]);
}
