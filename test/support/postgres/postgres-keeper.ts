/*
 * A process that starts a PostgreSQL for a test and ends it, with its data, when the test's process is gone: also after a
 * kill -9, which no hook of that process would see. Its IPC channel closes then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { FromKeeper, ToKeeper } from './postgres-server.ts';

const [folder = ''] = process.argv.slice(2);
let server: ChildProcess | null = null;

process.on('message', ({ program, args, options }: ToKeeper) => {
  // What it says goes straight to the test.
  const child = spawn(program, args, { ...options, stdio: ['ignore', 2, 2] });
  server = child;
  child.once('spawn', () => tell({ pid: child.pid ?? 0 }));
  child.once('error', (fault) => tell({ ended: fault.message }));
  child.once('exit', (code, signal) => {
    server = null;
    tell({ ended: String(signal ?? code) });
  });
});

process.once('disconnect', () => {
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (server === null) return remove();
  server.once('exit', remove);
  // At once, without a shutdown in order: nobody will read what is stored.
  server.kill('SIGQUIT');
});

function tell(message: FromKeeper): void {
  if (process.connected) process.send?.(message);
}
