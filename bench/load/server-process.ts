import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const mainProgram = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const bareProgram = fileURLToPath(new URL('./bare-server.js', import.meta.url));

/** A server in a process of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts a program that prints a JSON line with its `port`, and waits for that line. */
async function startProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const port = await readPort(child);
  const exited = once(child, 'exit');
  child.stdout?.resume();
  return {
    pid: child.pid as number,
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function readPort(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the server has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const { port } = JSON.parse(line) as { readonly port?: number };
    if (port !== undefined) return port;
  }
  throw new Error('the server ended before it listened');
}

export function startBareServer(body: string): Promise<ServerProcess> {
  return startProgram([bareProgram, body]);
}

export interface BurgeeProcess extends ServerProcess {
  /** As `apply` printed them. */
  readonly provisioned: unknown;
}

/** Starts Burgee on a fresh data directory, with what an `apply` file declares. */
export async function startBurgee(provision: unknown): Promise<BurgeeProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  const file = join(directory, 'provision.json');
  const dataDir = join(directory, 'data');
  writeFileSync(file, JSON.stringify(provision));
  const { stdout } = await run(process.execPath, [mainProgram, 'apply', file, '--data-dir', dataDir], {
    maxBuffer: 1e9,
  });
  const args = [mainProgram, 'serve', '--data-dir', dataDir, '--port', '0'];
  const server = await startProgram(args);
  return {
    ...server,
    provisioned: JSON.parse(stdout),
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
