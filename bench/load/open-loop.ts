import { fileURLToPath } from 'node:url';
import { checkLoad } from './check-load.ts';
import { runLoadProgram } from './load-program.ts';
import type { RequestList } from './request-list.ts';

const program = fileURLToPath(new URL('./open-loop-process.js', import.meta.url));

export interface OpenLoopLoad {
  /** At most 200,000 requests, over plain HTTP. */
  readonly list: RequestList;
  readonly connections: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** How far the server may fall behind, and how long its last answers may take; 10 unless given. */
  readonly backlogSecondsMax?: number;
  /** The only core that the generator runs on; any, unless given. */
  readonly core?: number;
}

/**
 * Latencies from the moment at which a request was due, sent or not, to its answer: a server that stalls is charged for
 * everything that queued up meanwhile (no coordinated omission).
 */
export interface OpenLoopResult {
  /** Measured ones. */
  readonly requests: number;
  /** All that the server answered, those of the warm-up too. */
  readonly answered: number;
  /** As achieved. */
  readonly requestsPerSecond: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
  /**
   * The generator's own lateness at the 99th percentile: from due to handed to the socket, a connection being free. NaN
   * when no request found a connection free. What lies near it or below it says nothing about the server.
   */
  readonly lateP99Us: number;
  /** Compressed HDR histogram of the latencies in µs, base64: see `latency-histogram.ts`. */
  readonly histogram: string;
}

/**
 * Sends at a fixed rate from a process of its own, whatever the answers do. Before the measured seconds it sends for
 * half a second (at most half of `seconds`) at the same rate, to warm itself up; those answers are only checked.
 *
 * @throws when a request is answered with any other status than its own, or not at all; the message has the counts
 * @throws when the server falls `backlogSecondsMax` behind the rate
 * @throws RangeError for a load that cannot be made, such as one over https
 */
export async function runOpenLoop(load: OpenLoopLoad): Promise<OpenLoopResult> {
  checkLoad(load);
  if (new URL(load.list.origin).protocol !== 'http:')
    throw new RangeError(`the open loop speaks plain HTTP only: ${load.list.origin}`);
  const result = await runLoadProgram<OpenLoopResult & { lateP99Us: number | null }>(
    program,
    load,
    load.core,
  );
  return { ...result, lateP99Us: result.lateP99Us ?? Number.NaN };
}
