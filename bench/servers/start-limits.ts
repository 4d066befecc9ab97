import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareProgram, bareThreadsProgram, nodeHttpProgram } from './programs.ts';
import type { ServerProcess } from './server-process.ts';
import { startProgram } from './start-program.ts';

/** A bare uWebSockets.js server that answers every evaluation with this body, and the headers of an evaluation. */
export function startBareServer(body: string | Uint8Array): Promise<ServerProcess> {
  return startWithBody(bareProgram, body);
}

/** The same from so many threads, behind a main thread that accepts connections and hands them over. */
export function startBareThreads(body: string | Uint8Array, threads: number): Promise<ServerProcess> {
  return startWithBody(bareThreadsProgram, body, [String(threads)]);
}

/** Node's own HTTP server, which answers everything with this body, and the headers of an evaluation. */
export function startNodeHttpServer(body: string | Uint8Array): Promise<ServerProcess> {
  return startWithBody(nodeHttpProgram, body);
}

/** In a file, because a project's body may be longer than an argument can be. The server reads it before it listens. */
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
