import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { keepEnd } from '../servers/keep-end.ts';
import { peersFolder } from './peer-packages.ts';

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Some peers make hundreds of tables before they are ready, which takes a slow machine a minute. */
const readyTimeoutMs = 180_000;
const stopTimeoutMs = 20_000;

/** A running program of `bench/peers/adapters` that has announced itself. */
export interface Adapter<Facts> {
  readonly pid: number;
  /** What it announced. */
  readonly facts: Facts;
  /** From the start of the process to its announcement. */
  readonly startedInMs: number;
  /** Ends it in order and waits for its end. It also ends by itself when this process ends, even by a kill. */
  stop(): Promise<void>;
}

/**
 * Starts an adapter, as in production, and waits for its announcement, one line of JSON.
 *
 * @param node the Node that runs it
 * @throws Error with its standard error, when it ends, or takes too long, before the announcement
 */
export async function startAdapter<Facts>(
  name: string,
  args: readonly string[],
  node = process.execPath,
): Promise<Adapter<Facts>> {
  const startedAt = performance.now();
  const child = spawn(node, [join(peersFolder, 'adapters', `${name}.mjs`), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: plainEnvironment(),
  });
  // The adapter ends when its standard input closes, which stays open while this process lives. The adapter may close its
  // end first.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const errors = keepEnd(child.stderr);
  let isOverdue = false;
  const overdue = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGTERM');
  }, readyTimeoutMs);
  const facts = await Promise.race([
    readAnnouncement<Facts>(child),
    closed.then(([code, signal]) => {
      const how = isOverdue
        ? `was not ready within ${readyTimeoutMs / 1000} s`
        : `ended with ${code ?? signal} before it was ready`;
      throw new Error(`the adapter ${name} ${how}: ${errors().trim()}`);
    }),
  ]).finally(() => clearTimeout(overdue));
  const startedInMs = performance.now() - startedAt;
  return { pid: child.pid ?? 0, facts, startedInMs, stop: () => stopChild(child, closed) };
}

/** Only the arguments may decide what is measured, so `UNLEASH_*`, `DATABASE_*` and similar variables are left out. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].map((name) => [name, process.env[name]]);
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' };
}

/** Keeps reading, so that a full pipe never blocks an adapter that logs. */
function readAnnouncement<Facts>(child: Child): Promise<Facts> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line) as Facts);
    });
  });
}

async function stopChild(child: Child, closed: Promise<unknown>): Promise<void> {
  child.stdin.end();
  const overdue = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await closed;
  clearTimeout(overdue);
}
