import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** CPU time in microseconds, user and system, since the process or thread began. */
export interface CpuTime {
  /** All threads. */
  readonly processUs: number;
  /** The main thread: in Burgee, the gateway. */
  readonly mainThreadUs: number;
}

/** Ticks a second of the kernel's clock that `/proc` counts in. */
function readTicksPerSecond(): number {
  return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
}

const ticksPerSecond = readTicksPerSecond();

/** Fields 14 and 15 of `/proc/…/stat`: utime and stime. The command's name, field 2, may hold spaces. */
function readTicks(path: string): number {
  const text = readFileSync(path, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** @throws where there is no `/proc` */
export function readCpuTime(pid: number): CpuTime {
  const toUs = 1e6 / ticksPerSecond;
  return {
    processUs: readTicks(`/proc/${pid}/stat`) * toUs,
    mainThreadUs: readTicks(`/proc/${pid}/task/${pid}/stat`) * toUs,
  };
}
