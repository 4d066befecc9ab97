import type { RequestList } from './request-list.ts';

export interface ClosedLoopLoad {
  /** At most 200,000 requests. */
  readonly list: RequestList;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Latencies of a closed loop. It waits for slow answers, so they are service times. autocannon's are as measured; wrk
 * adds estimated samples for the time in which a connection waited longer than average.
 */
export interface ClosedLoopResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly meanUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
}
