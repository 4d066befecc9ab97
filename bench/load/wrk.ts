import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atExit } from '../servers/at-exit.ts';
import type { ClosedLoopLoad, ClosedLoopResult } from './closed-loop-load.ts';
import { expectedErrors } from './expected-errors.ts';
import { withTemporaryDirectory } from './load-program.ts';
import { probeStatuses } from './probe-statuses.ts';
import { encodeRequests } from './request-bytes.ts';
import { type WrkReport, wrkScript } from './wrk-script.ts';

/** Raises the limit of open files if needed, then becomes wrk. $0 is how many files it needs. */
const launcher =
  'limit=$(ulimit -n); [ "$limit" = unlimited ] || [ "$limit" -ge "$0" ] || ulimit -n "$0" || exit 77; exec wrk "$@"';
const limitTooLow = 77;
/** Files that wrk opens in addition to its connections, with a margin. */
const otherFiles = 64;
const timeoutSeconds = 10;
/** How long wrk may take beyond the load, to read its requests and to print its result. */
const graceMs = 60_000;
/** How many times a load that ended before its first answer is repeated, each time twice as long. */
const longerLoadsMax = 4;

/** @returns the version of the wrk that is installed, or null */
export function findWrk(): string | null {
  const { stdout, error } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  return error === undefined ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'of unknown version') : null;
}

/**
 * Runs one thread of wrk, with the list's requests in order. Before the load, the statuses of a sample are checked.
 * During it wrk counts only statuses over 399, and that count must fit the list.
 */
export async function runWrk(load: ClosedLoopLoad): Promise<ClosedLoopResult> {
  await probeStatuses(load.list);
  const report = await withTemporaryDirectory(async (directory) => {
    const requests = encodeRequests(load.list);
    const files = { script: 'load.lua', requests: 'requests', lengths: 'lengths' } as const;
    const pathOf = (file: keyof typeof files): string => join(directory, files[file]);
    writeFileSync(pathOf('script'), wrkScript);
    writeFileSync(pathOf('requests'), Buffer.concat(requests));
    writeFileSync(pathOf('lengths'), requests.map((request) => `${request.length}\n`).join(''));
    const launchFor = (seconds: number): Promise<WrkReport> =>
      launch({ ...load, seconds }, [
        ...['-t', '1', '-c', String(load.connections), '-d', `${Math.ceil(seconds)}s`],
        ...['--timeout', `${timeoutSeconds}s`, '-s', pathOf('script'), load.list.origin],
        ...['--', pathOf('requests'), pathOf('lengths')],
      ]);
    let report = await launchFor(load.seconds);
    // On a busy machine a load of a tenth of a second can end before wrk runs.
    for (let longer = 1; longer <= longerLoadsMax && wasTooShort(report); longer += 1)
      report = await launchFor(load.seconds * 2 ** longer);
    return report;
  });
  checkReport(load, report);
  return {
    requests: report.answered,
    requestsPerSecond: report.answered / (report.durationUs / 1e6),
    meanUs: report.meanUs,
    p50Us: report.p50Us,
    p99Us: report.p99Us,
  };
}

async function launch(load: ClosedLoopLoad, args: readonly string[]): Promise<WrkReport> {
  const child = spawn('sh', ['-c', launcher, String(load.connections + otherFiles), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: load.seconds * 1000 + graceMs,
    killSignal: 'SIGKILL',
  });
  const outlived = atExit(() => child.kill('SIGKILL'));
  const closed = once(child, 'close').finally(outlived);
  const interrupt = interruptAfter(child, load.seconds);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  clearTimeout(await interrupt);
  if (code === limitTooLow)
    throw new Error(
      `${load.connections} connections need ${load.connections + otherFiles} open files, more than this system allows a process (ulimit -Hn): raise that limit, or ask for fewer connections`,
    );
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (code !== 0 || result === undefined)
    throw new Error(`wrk ended with ${code ?? 'a signal'}:\n${stdout}${stderr}`);
  return JSON.parse(result) as WrkReport;
}

/**
 * wrk takes whole seconds only, but prints its result early when interrupted. Its script prints on stderr when the load
 * begins.
 */
async function interruptAfter(child: ChildProcess, seconds: number): Promise<NodeJS.Timeout | undefined> {
  if (Number.isInteger(seconds) || child.stderr === null) return undefined;
  const [ended] = await Promise.race([
    once(child.stderr, 'data').then(() => [false]),
    once(child, 'close').then(() => [true]),
  ]);
  return ended ? undefined : setTimeout(() => child.kill('SIGINT'), seconds * 1000);
}

/** Whether wrk ended without any answer or error. Such a load says nothing about the server. */
function wasTooShort({ answered, errors }: WrkReport): boolean {
  return answered === 0 && Object.values(errors).every((count) => count === 0);
}

/** @throws when any request got a wrong status or no answer, as far as wrk sees it */
function checkReport({ list, connections }: ClosedLoopLoad, report: WrkReport): void {
  const { issued, answered, errors } = report;
  const problems = (['connect', 'read', 'write', 'timeout'] as const)
    .filter((kind) => errors[kind] > 0)
    .map((kind) => `${errors[kind]} ${kind} errors`);
  const unanswered = issued - answered - connections;
  if (unanswered > 0) problems.push(`${unanswered} not answered`);
  const { least, most } = expectedErrors(list.requests, issued, answered);
  if (errors.status < least || errors.status > most) {
    const right = least === most ? String(most) : `${least} to ${most}`;
    problems.push(`${errors.status} answered with a status over 399 instead of ${right}`);
  }
  if (answered === 0) problems.push('none answered');
  if (problems.length > 0)
    throw new Error(`wrk at ${list.origin}: of ${answered} requests, ${problems.join(', ')}`);
}
