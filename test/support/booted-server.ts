import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Settings, spawnBurgee } from './burgee-command.ts';
import type { Lifetime } from './lifetime.ts';

/** A started `burgee serve` and a test's control over it. */
export interface BootedServer {
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** All lines of standard output and error so far. */
  readonly lines: readonly string[];
  /** Exit code, or the signal that ended it. Resolves when the process and its output have ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** The first line that passes, earlier lines included. @throws when the process ends without one */
  line(passes: (line: string) => boolean): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for the end. @throws unless it exits 0 */
  stop(): Promise<void>;
}

export interface BootOptions {
  readonly dataDir: string;
  readonly settings?: Settings;
  /** How to start the process; `scripts/burgee` of this checkout unless given. */
  readonly spawn?: typeof spawnBurgee;
}

/** For tests that are not about limits: so high that no test reaches them by accident. */
export const unlimited: Settings = {
  BURGEE_MANAGEMENT_RATE_LIMIT: '100000000',
  BURGEE_FAILED_AUTHENTICATION_LIMIT: '100000000',
};

/** Boots a server on a free port of 127.0.0.1 and waits for the line with the port. It ends with the test. */
export async function bootServer(t: Lifetime, options: BootOptions): Promise<BootedServer> {
  const server = startServer(t, options);
  const listening = await server.line((line) => listeningPort(line) !== null);
  return { ...server, port: listeningPort(listening) ?? 0 };
}

/** Starts a server as `bootServer` does, without waiting until it listens. */
export function startServer(t: Lifetime, options: BootOptions): Omit<BootedServer, 'port'> {
  const arguments_ = ['serve', '--data-dir', options.dataDir, '--host', '127.0.0.1', '--port', '0'];
  const child = (options.spawn ?? spawnBurgee)(arguments_, options.settings);
  const server = watchServer(child, options.dataDir);
  t.teardown(async () => {
    server.signal('SIGKILL');
    await server.ended;
  });
  return server;
}

/** @returns the port of a listening log line; null for every other line. */
export function listeningPort(line: string): number | null {
  if (!line.startsWith('{')) return null;
  try {
    const { port } = JSON.parse(line) as { port?: unknown };
    return typeof port === 'number' && port > 0 ? port : null;
  } catch {
    return null;
  }
}

function watchServer(child: ChildProcessWithoutNullStreams, dataDir: string): Omit<BootedServer, 'port'> {
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  let isOver = false;
  const wake = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const read = (line: string): void => {
    lines.push(line);
    wake();
  };
  createInterface({ input: child.stdout }).on('line', read);
  createInterface({ input: child.stderr }).on('line', read);
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isOver = true;
      resolve(code ?? signal ?? 'SIGKILL');
      wake();
    });
  });
  return {
    pid: child.pid ?? 0,
    dataDir,
    lines,
    ended,
    signal: (signal) => {
      if (!isOver) child.kill(signal);
    },
    line: (passes) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(passes);
          if (found === undefined && !isOver) return;
          watchers.delete(look);
          if (found === undefined) reject(new Error(`the server ended early:\n${lines.join('\n')}`));
          else resolve(found);
        };
        watchers.add(look);
        look();
      }),
    stop: async () => {
      if (!isOver) child.kill('SIGTERM');
      const end = await ended;
      if (end !== 0) throw new Error(`exit ${end}, not 0:\n${lines.slice(-20).join('\n')}`);
    },
  };
}
