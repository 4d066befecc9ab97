import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { atExit } from './at-exit.ts';
import { keepEnd } from './keep-end.ts';
import { ownEnvironment } from './programs.ts';
import type { ServerProcess } from './server-process.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Burgee's own drain time is 10 s: a program that takes longer is stuck. */
const stopTimeoutMs = 20_000;
/** Longer than a start with a million flags takes on a slow disk. */
const startTimeoutMs = 120_000;

/**
 * Starts a Node program that prints a JSON line with its `port`, and waits for that line. `BURGEE_*` variables are not
 * passed on, so that only the arguments decide what is measured.
 *
 * @throws Error with its standard error, when it ends before it listens, or does not listen in time
 */
export async function startProgram(args: readonly string[]): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ownEnvironment() });
  const outlived = atExit(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit').finally(outlived);
  const errors = keepEnd(child.stderr);
  const command = `node ${args.join(' ')}`;
  let isOverdue = false;
  const overdue = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGKILL');
  }, startTimeoutMs);
  const ended = exited.then(() => {
    const when = isOverdue ? `did not listen within ${startTimeoutMs / 1000} s` : 'ended before it listened';
    throw new Error(`${command} ${when}:\n${errors()}`);
  });
  const port = await Promise.race([readPort(child), ended]).finally(() => clearTimeout(overdue));
  // Ignores the end of a server that has started.
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${port}`,
    startedInMs: performance.now() - startedAt,
    stop: () => stopProgram(child, exited),
  };
}

/** Keeps reading after the port, so that a full pipe never blocks a server that logs. */
function readPort(child: Child): Promise<number> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = portOf(line);
      if (port !== null) resolve(port);
    });
  });
}

function portOf(line: string): number | null {
  try {
    const { port } = JSON.parse(line) as { readonly port?: unknown };
    return typeof port === 'number' ? port : null;
  } catch {
    return null;
  }
}

async function stopProgram(child: Child, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const overdue = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(overdue);
}
