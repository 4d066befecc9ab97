import { KeptConnection } from '../changes/kept-connection.ts';
import { encodeRequests } from '../load/request-bytes.ts';
import type { BenchRequest } from '../load/request-list.ts';
import type { ServerProcess } from '../servers/server-process.ts';

export interface StartUp {
  /** From the start of the process to its line that it listens. */
  readonly listeningMs: number;
  /** From the start of the process to its first answer. */
  readonly startUpMs: number;
}

/**
 * Starts a server, sends a request as soon as the server reports that it listens, and stops it. Nothing polls, because on
 * few cores polling would slow the start down.
 *
 * @throws when the first answer has another status than the expected one
 */
export async function timeStartUp(
  start: () => Promise<ServerProcess>,
  request: BenchRequest,
): Promise<StartUp> {
  const startedAtMs = performance.now();
  const server = await start();
  try {
    const listeningMs = performance.now() - startedAtMs;
    const connection = await KeptConnection.open(server.origin);
    const [bytes] = encodeRequests({ origin: server.origin, requests: [request] });
    const { status } = await connection.ask(bytes as Buffer);
    const startUpMs = performance.now() - startedAtMs;
    connection.close();
    if (status !== request.status)
      throw new Error(`the first answer to ${request.path} was ${status} instead of ${request.status}`);
    return { listeningMs, startUpMs };
  } finally {
    await server.stop();
  }
}

export const startUpMetrics = [
  { key: 'startUpMs', label: 'process start to first answer, ms', better: 'less', digits: 0 },
  { key: 'listeningMs', label: 'process start to listening, ms', better: 'less', digits: 0 },
] as const;
