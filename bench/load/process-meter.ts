import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findChildren, readReapedTicks, readTicks } from './process-tree.ts';

/** What a server used between two moments. A figure that the system does not offer is NaN. */
export interface ProcessUse {
  /** User and system time of all threads, and of all processes that it started, in µs. */
  readonly processUs: number;
  /** Resident memory at the end, child processes included. */
  readonly residentBytes: number;
}

/** CPU time since the process began. */
interface CpuClock {
  /** Of all threads, ended ones included, in clock ticks of the kernel. */
  readonly tickedUs: number;
  /** Of living threads, in ns. */
  readonly livingUs: number;
  /** Of its child processes, in clock ticks of the kernel. */
  readonly childrenUs: number;
}

const notMeasured: ProcessUse = {
  processUs: Number.NaN,
  residentBytes: Number.NaN,
};

/**
 * @returns whether this system offers CPU and memory figures of a process (Linux with `/proc`). Without them the report
 * leaves those figures out.
 */
export function canMeterProcesses(): boolean {
  return existsSync('/proc/self/stat') && existsSync('/proc/self/status');
}

/**
 * Begins to count; the returned function gives the use since then.
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
      processUs: elapsedUs(before, after, tickUs) + after.childrenUs - before.childrenUs,
      residentBytes: [pid, ...findChildren(pid)].reduce((sum, one) => sum + readResidentBytes(one), 0),
    };
  };
}

/**
 * The finer clock misses threads that ended; the coarse one includes them. If the two differ by more than rounding
 * explains (user and system time are each cut to a tick, twice), a thread has ended and the coarse one is right.
 */
function elapsedUs(before: CpuClock, after: CpuClock, tickUs: number): number {
  const ticked = after.tickedUs - before.tickedUs;
  const living = after.livingUs - before.livingUs;
  return Math.abs(ticked - living) <= 3 * tickUs ? living : ticked;
}

function readCpuClock(pid: number, tickUs: number): CpuClock {
  const tickedUs = readTicks(pid) * tickUs;
  const ofChildren = findChildren(pid).map((child) => readTicks(child) + readReapedTicks(child));
  const childrenTicks = ofChildren.reduce((sum, ticks) => sum + ticks, readReapedTicks(pid));
  return { tickedUs, livingUs: readLivingUs(pid) ?? tickedUs, childrenUs: childrenTicks * tickUs };
}

/** @returns null where the kernel keeps no such statistics */
function readLivingUs(pid: number): number | null {
  if (!existsSync(`/proc/${pid}/schedstat`)) return null;
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + (readScheduledUs(pid, thread) ?? 0), 0);
}

/** @returns how long a thread ran; null if it has just ended, or where the kernel keeps no such statistics */
function readScheduledUs(pid: number, thread: string): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(text.slice(0, text.indexOf(' '))) / 1000;
  } catch {
    return null;
  }
}

/** @returns a process's memory in RAM, shared pages of mapped files included; NaN where the system does not offer it */
export function readResidentBytes(pid: number): number {
  if (!canMeterProcesses()) return Number.NaN;
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}
