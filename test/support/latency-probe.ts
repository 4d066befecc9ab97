import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Test } from 'tap';
import type { Lifetime } from './lifetime.ts';

export interface ProbeTarget {
  readonly name: string;
  readonly port: number;
  /** The request, encoded for the wire; it must be answered 200. */
  readonly request: string;
}

export interface ProbeWorkerData {
  readonly targets: readonly ProbeTarget[];
  readonly pauseMs: number;
  readonly shared: SharedArrayBuffer;
}

/** A target's answers in a window. */
export interface ProbeResult {
  readonly name: string;
  readonly slowestMs: number;
  readonly answers: number;
  readonly failures: number;
}

/**
 * Sends requests to targets while a test does other things, and reports the slowest answer. It also sends requests to
 * an idle control process, whose slowest answer is the machine's own delay.
 */
export interface LatencyProbe {
  /** Runs `work` and measures meanwhile, at least until every target has answered `answersMin` times. */
  during(work: () => Promise<void>, answersMin?: number): Promise<ProbeWindow>;
}

export interface ProbeWindow {
  readonly targets: readonly ProbeResult[];
  readonly control: ProbeResult;
}

const controlName = 'control';
export const controlRequest = 'GET / HTTP/1.1\r\n\r\n';
const pauseMs = 2;
/** In how many windows a delay must appear to count as the service's and not the machine's. */
const attemptsMax = 3;

export async function startLatencyProbe(t: Test, targets: readonly ProbeTarget[]): Promise<LatencyProbe> {
  const control = { name: controlName, port: await startControlServer(t), request: controlRequest };
  const all = [...targets, control];
  const shared = new SharedArrayBuffer(8 + all.length * 24);
  const workerData: ProbeWorkerData = { targets: all, pauseMs, shared };
  const worker = new Worker(new URL('./latency-probe-worker.js', import.meta.url), { workerData });
  t.teardown(() => worker.terminate());
  await once(worker, 'online');
  const epoch = new Int32Array(shared, 0, 1);
  const results = new Float64Array(shared, 8);
  const read = (): ProbeResult[] =>
    all.map(({ name }, index) => ({
      name,
      slowestMs: results[index * 3] ?? 0,
      answers: results[index * 3 + 1] ?? 0,
      failures: results[index * 3 + 2] ?? 0,
    }));
  return {
    during: async (work, answersMin = 25) => {
      results.fill(0);
      Atomics.add(epoch, 0, 1);
      await work();
      while (read().some(({ answers }) => answers < answersMin)) await setTimeout(pauseMs);
      const measured = read();
      const targetsMeasured = measured.filter(({ name }) => name !== controlName);
      const controlMeasured = measured.find(({ name }) => name === controlName);
      if (controlMeasured === undefined) throw new Error('the control is measured too');
      return { targets: targetsMeasured, control: controlMeasured };
    },
  };
}

/**
 * Checks that `work` delays no target by more than `delayMaxMs` compared with a calm window of the same run. The
 * control's delay in the same window is the machine's, and is subtracted. A delay that the service causes comes each
 * time, so a slow window is measured again, twice at most.
 */
export async function assertUndelayed(
  t: Test,
  probe: LatencyProbe,
  calm: ProbeWindow,
  delayMaxMs: number,
  work: () => Promise<void>,
): Promise<void> {
  let worst = '';
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const window = await probe.during(work);
    for (const { name, failures } of window.targets) t.equal(failures, 0, `${name}: every probe got its 200`);
    const late = window.targets.filter(
      (result) => result.slowestMs - allowanceMs(result.name, calm, window) > delayMaxMs,
    );
    if (late.length === 0) {
      t.pass(`no probe was delayed by more than ${delayMaxMs} ms (${describe(window)})`);
      return;
    }
    worst = describe(window);
  }
  t.fail(`probes were delayed by more than ${delayMaxMs} ms, ${attemptsMax} times: ${worst}`);
}

function allowanceMs(name: string, calm: ProbeWindow, window: ProbeWindow): number {
  const baseline = calm.targets.find((result) => result.name === name)?.slowestMs ?? 0;
  return Math.max(baseline, window.control.slowestMs);
}

export function describe({ targets, control }: ProbeWindow): string {
  return [...targets, control]
    .map(({ name, slowestMs, answers }) => `${name} ${slowestMs.toFixed(1)} ms of ${answers}`)
    .join(', ');
}

/** Starts a process that only answers: its delays are the machine's. @returns its port */
export async function startControlServer(t: Lifetime): Promise<number> {
  const script = new URL('./control-server.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) return Number(line);
  throw new Error('the control server did not start');
}
