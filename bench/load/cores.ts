import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The cores of the generator and of the servers while latencies are measured. */
export interface CoreSplit {
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
 * A spinning generator always has work. If it shared its core with a server's threads, the kernel would switch between them
 * every few milliseconds, and the latencies would include that.
 *
 * @returns the last core for the generator and the others for the servers; null where that is impossible (one core, no
 *   `taskset`, not Linux)
 */
export function splitCores(): CoreSplit | null {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).error !== undefined) return null;
  const cores = readAllowedCores();
  const generator = cores.at(-1);
  return generator === undefined || cores.length < 2 ? null : { generator, servers: cores.slice(0, -1) };
}

/** Restricts a process and all its present threads to some cores. Ignores a process that has ended. */
export function keepToCores(pid: number, cores: readonly number[]): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.join(','), String(pid)]);
}
