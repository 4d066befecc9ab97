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
  /** How far the server may fall behind, and how long to wait for its last answers; 10 unless given. */
  readonly backlogSecondsMax?: number;
  /** The only core that the generator runs on; any core, unless given. */
  readonly core?: number;
}

/**
 * Latencies count from the moment at which a request was due, even if it was sent later, to its answer. So a server
 * that stalls is charged for every request that queued up meanwhile (no coordinated omission).
 */
export interface OpenLoopResult {
  /** Requests of the measured phase. */
  readonly requests: number;
  /** All answers of the server, those of the warm-up included. */
  readonly answered: number;
  /** The achieved rate. */
  readonly requestsPerSecond: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
  /**
   * The generator's own lateness at the 99th percentile: the time from due to written to the socket, of requests that
   * found a free connection. NaN when none did. A latency near or below it says nothing about the server.
   */
  readonly lateP99Us: number;
  /** Compressed HDR histogram of the latencies in µs, base64: see `latency-histogram.ts`. */
  readonly histogram: string;
}

/**
 * Sends at a fixed rate from a process of its own, without waiting for answers. Before the measured seconds it sends at
 * the same rate for half a second (at most half of `seconds`) to warm up; those answers are only checked.
 *
 * @throws when a request gets another status than its expected one, or no answer; the message has the counts
 * @throws when the server falls `backlogSecondsMax` behind the rate
 * @throws RangeError for a load that is out of range, such as one over https
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
