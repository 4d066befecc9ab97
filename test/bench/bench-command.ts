import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

export interface BenchEnd {
  /** Exit status, or the signal that ended the command. */
  readonly end: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BenchProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<BenchEnd>;
}

/**
 * Starts the command of the bench suite in a process of its own.
 *
 * @param temporary the folder for its temporary folders
 */
export function startBench(args: readonly string[], temporary?: string): BenchProcess {
  const env = { ...process.env, ...(temporary === undefined ? {} : { TMPDIR: temporary }) };
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const closed = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { child, ended: ended.then(([end, stdout, stderr]) => ({ end, stdout, stderr })) };
}

/** Runs the command of the bench suite to its end. */
export function runBench(args: readonly string[], temporary?: string): Promise<BenchEnd> {
  return startBench(args, temporary).ended;
}
