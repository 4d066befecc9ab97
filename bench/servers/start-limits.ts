import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareProgram, bareThreadsProgram, nodeHttpProgram } from './programs.ts';
import type { ServerProcess } from './server-process.ts';
import { startProgram } from './start-program.ts';

/** Starts a bare uWebSockets.js server that answers every evaluation with this body and an evaluation's headers. */
export function startBareServer(body: string | Uint8Array): Promise<ServerProcess> {
  return startWithBody(bareProgram, body);
}

/** Starts the same on several threads, behind a main thread that accepts connections and hands them over. */
export function startBareThreads(body: string | Uint8Array, threads: number): Promise<ServerProcess> {
  return startWithBody(bareThreadsProgram, body, [String(threads)]);
}

/** Starts Node's own HTTP server, which answers everything with this body and an evaluation's headers. */
export function startNodeHttpServer(body: string | Uint8Array): Promise<ServerProcess> {
  return startWithBody(nodeHttpProgram, body);
}

/**
 * Passes the body in a file, because a project's body may be too long for an argument. The server reads it before it
 * listens.
 */
async function startWithBody(
  program: string,
  body: string | Uint8Array,
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  try {
    const file = join(directory, 'body.json');
    writeFileSync(file, body);
    return await startProgram([program, file, ...args]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
