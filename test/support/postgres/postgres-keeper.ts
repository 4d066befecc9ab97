/*
 * A process that starts a PostgreSQL for a test and ends it, with its data, when the test's process is gone: also after a
 * kill -9, which no hook of that process would see. Its IPC channel closes then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { FromKeeper, ToKeeper } from './postgres-server.ts';

const [folder = ''] = process.argv.slice(2);
let server: ChildProcess | null = null;
let hasStarted = false;

process.on('message', ({ program, args, options }: ToKeeper) => {
  // What it says goes straight to the test.
  const child = spawn(program, args, { ...options, stdio: ['ignore', 2, 2] });
  server = child;
  hasStarted = true;
  child.once('spawn', () => tell({ pid: child.pid ?? 0 }));
  child.once('error', (fault) => tell({ ended: fault.message }));
  child.once('exit', (code, signal) => {
    server = null;
    tell({ ended: String(signal ?? code) });
  });
});

process.once('disconnect', end);
// The test may have gone while this file was loaded, and nobody heard it.
if (!process.connected) end();

function end(): void {
  process.off('disconnect', end);
  server?.once('exit', remove);
  // At once, without a shutdown in order: nobody will read what is stored.
  if (!server?.kill('SIGQUIT')) remove();
  // A test may have stopped it: it then ends those of its processes that stand still, too.
  server?.kill('SIGCONT');
}

/** Twice: a copy of the data that was being made may go on for a moment after the first. */
function remove(): void {
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  removeFolder();
  if (!hasStarted) setTimeout(removeFolder, 1000);
}

function tell(message: FromKeeper): void {
  if (process.connected) process.send?.(message);
}
