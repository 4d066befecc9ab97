import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { peersFolder } from './peer-packages.ts';

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
/** What an adapter says on standard error is shown only when it fails: its last characters. */
const errorCharsMax = 2000;

/** A program of `bench/peers/adapters` that has announced itself. */
export interface Adapter<Facts> {
  readonly pid: number;
  /** What it announced. */
  readonly facts: Facts;
  /** From the start of the process to its announcement. */
  readonly startedInMs: number;
  /** Ends it in order and waits for that. It also ends by itself when this process does, even when that is killed. */
  stop(): Promise<void>;
}

/**
 * Starts an adapter, as in production, and waits until it announces itself: one line of JSON.
 *
 * @param node the Node that runs it
 * @throws Error with what it wrote to standard error, when it ends or takes a minute before that
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
  // Its standard input stays open as long as this process lives: that is how it knows. It may close its end first.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const errors = keepEnd(child.stderr);
  const overdue = setTimeout(() => child.kill('SIGTERM'), readyTimeoutMs);
  const facts = await Promise.race([
    readAnnouncement<Facts>(child),
    closed.then(([code, signal]) => {
      throw new Error(
        `the adapter ${name} ended with ${code ?? signal} before it was ready: ${errors().trim()}`,
      );
    }),
  ]).finally(() => clearTimeout(overdue));
  const startedInMs = performance.now() - startedAt;
  return { pid: child.pid ?? 0, facts, startedInMs, stop: () => stopChild(child, closed) };
}

/** What is measured depends on the arguments alone: `UNLEASH_*`, `DATABASE_*` and their like are kept from it. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].map((name) => [name, process.env[name]]);
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' };
}

function keepEnd(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-errorCharsMax);
  });
  return () => text;
}

/** Reads on afterwards, so that whoever logs is never stopped by a full pipe. */
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
