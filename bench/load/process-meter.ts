import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What a server used between two moments. Where the system does not tell, each figure is NaN: not measured. */
export interface ProcessUse {
  /** User and system time of all threads, in µs. */
  readonly processUs: number;
  /** The main thread's: in Burgee, the gateway's. */
  readonly mainThreadUs: number;
  /** Resident memory at the end. */
  readonly residentBytes: number;
}

/** CPU time since the process began. */
interface CpuClock {
  /** All threads, ended ones too, in steps of the kernel's clock tick. */
  readonly tickedUs: number;
  /** Threads that live, to the nanosecond. */
  readonly livingUs: number;
  readonly mainThreadUs: number;
}

const notMeasured: ProcessUse = {
  processUs: Number.NaN,
  mainThreadUs: Number.NaN,
  residentBytes: Number.NaN,
};

/** @returns whether this system tells what a process uses: Linux with `/proc`. Else figures of CPU and memory are left out. */
export function canMeterProcesses(): boolean {
  return existsSync('/proc/self/stat') && existsSync('/proc/self/status');
}

/**
 * Begins to count; the function returned gives what was used since.
 *
 * @throws when there is no such process
 */
export function meterProcess(pid: number): () => ProcessUse {
  if (!canMeterProcesses()) return () => notMeasured;
  const tickUs = 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const before = readCpuClock(pid, tickUs);
  return () => {
    const after = readCpuClock(pid, tickUs);
    return {
      processUs: elapsedUs(before, after, tickUs),
      mainThreadUs: after.mainThreadUs - before.mainThreadUs,
      residentBytes: readResidentBytes(pid),
    };
  };
}

/**
 * The finer clock misses threads that ended, the coarse one does not: where they are further apart than rounding
 * explains (user and system time are each cut to a tick, twice), a thread has ended and the coarse one is right.
 */
function elapsedUs(before: CpuClock, after: CpuClock, tickUs: number): number {
  const ticked = after.tickedUs - before.tickedUs;
  const living = after.livingUs - before.livingUs;
  return Math.abs(ticked - living) <= 3 * tickUs ? living : ticked;
}

function readCpuClock(pid: number, tickUs: number): CpuClock {
  const tickedUs = readTicks(`/proc/${pid}/stat`) * tickUs;
  const mainThreadUs =
    readScheduledUs(pid, String(pid)) ?? readTicks(`/proc/${pid}/task/${pid}/stat`) * tickUs;
  return { tickedUs, livingUs: readLivingUs(pid) ?? tickedUs, mainThreadUs };
}

/** Fields 14 and 15 of `/proc/…/stat`: utime and stime. The command's name, field 2, may hold spaces. */
function readTicks(path: string): number {
  const text = readFileSync(path, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** @returns null where the kernel keeps no such statistics */
function readLivingUs(pid: number): number | null {
  if (!existsSync(`/proc/${pid}/schedstat`)) return null;
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + (readScheduledUs(pid, thread) ?? 0), 0);
}

/** @returns the time that a thread ran; null when it has just ended, or where the kernel keeps no such statistics */
function readScheduledUs(pid: number, thread: string): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(text.slice(0, text.indexOf(' '))) / 1000;
  } catch {
    return null;
  }
}

/** @returns a process's memory in RAM, shared pages of mapped files included; NaN where the system does not tell */
export function readResidentBytes(pid: number): number {
  return readStatusBytes(pid, 'VmRSS');
}

/** @returns the most that `readResidentBytes` ever was since the process began */
export function readPeakResidentBytes(pid: number): number {
  return readStatusBytes(pid, 'VmHWM');
}

function readStatusBytes(pid: number, name: string): number {
  if (!canMeterProcesses()) return Number.NaN;
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}
