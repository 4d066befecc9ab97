import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareProgram, inGatewayProgram, nodeHttpProgram } from './programs.ts';
import type { ServerProcess } from './server-process.ts';
import { startProgram } from './start-program.ts';

/** The flag that the server without evaluators has. Its id is Burgee's, so that keys fall into the same buckets. */
export interface InGatewayFlag {
  readonly id: string;
  readonly name: string;
  readonly trafficPercentage: number;
}

/** A bare uWebSockets.js server that answers every evaluation with this body, and the headers of an evaluation. */
export function startBareServer(body: string | Uint8Array): Promise<ServerProcess> {
  return startWithBody(bareProgram, body);
}

/** Node's own HTTP server, which answers everything with this body, and the headers of an evaluation. */
export function startNodeHttpServer(body: string | Uint8Array): Promise<ServerProcess> {
  return startWithBody(nodeHttpProgram, body);
}

/** Burgee's evaluation inside the gateway's thread, with one flag. */
export function startInGatewayServer(flag: InGatewayFlag): Promise<ServerProcess> {
  return startProgram([inGatewayProgram, JSON.stringify(flag)]);
}

/** In a file, because a project's body may be longer than an argument can be. The server reads it before it listens. */
async function startWithBody(program: string, body: string | Uint8Array): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  try {
    const file = join(directory, 'body.json');
    writeFileSync(file, body);
    return await startProgram([program, file]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
