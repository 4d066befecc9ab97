import { readJsonText } from '../management/request-body.ts';
import { ProblemList, shown } from '../problem-list.ts';
import type { SyncUsage } from './configuration.ts';

/** Bytes of a report. */
export const usageBytesMax = 128 * 1024;
/** Flags in a report. */
export const usageFlagsMax = 1000;
/** Evaluations of one flag in a report, on or off. */
export const evaluationsMax = 1_000_000_000;

/** @returns the report, or what is wrong with it */
export function readUsage(bytes: Uint8Array | null): SyncUsage | ProblemList {
  const problems = new ProblemList();
  const read = readJsonText(bytes);
  if (read.kind !== 'text') {
    problems.add(() => (read.kind === 'empty' ? 'the request body is empty' : read.problem));
    return problems;
  }
  const { reportId, flags, ...others } = JSON.parse(read.text) as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(others)) problems.add(() => `unknown field "${shown(name)}"`);
  if (typeof reportId !== 'string' || !/^[\x21-\x7e]{8,64}$/.test(reportId)) {
    problems.add(() => '"reportId" must be 8 to 64 visible ASCII characters, random for each report');
  }
  if (!Array.isArray(flags) || flags.length > usageFlagsMax) {
    problems.add(() => `"flags" must be an array of at most ${usageFlagsMax} objects`);
    return problems;
  }
  for (const [index, flag] of flags.entries()) {
    if (!isCount(flag)) {
      problems.add(
        () =>
          `flags[${index}] must have "id", a text, and "on" and "off", whole numbers from 0 to ${evaluationsMax}, and nothing else`,
      );
    }
  }
  return problems.isEmpty ? { reportId: reportId as string, flags: flags as SyncUsage['flags'] } : problems;
}

function isCount(value: unknown): value is SyncUsage['flags'][number] {
  if (typeof value !== 'object' || value === null) return false;
  const { id, on, off, ...others } = value as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && isAmount(on) && isAmount(off) && Object.keys(others).length === 0;
}

function isAmount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= evaluationsMax;
}
