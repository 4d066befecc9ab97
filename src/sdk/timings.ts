/** Durations in milliseconds. Tests of bad days use shorter ones; a program has `defaultTimings` (decision 0065). */
export interface Timings {
  /** Upper bound of the first wait after a lost connection, above `backoffMinMs`; it doubles with each failure. */
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  /** A client never connects sooner than this after it connected last. */
  readonly backoffMinMs: number;
  /** A connection that lasted so long was a good one: the next wait is a first one again. */
  readonly steadyMs: number;
  /**
   * Without a byte for so long a connection is given up: the service sends a beat every 15 seconds. Polls without an answer
   * for so long make a client `stale`.
   */
  readonly watchdogMs: number;
  /** The same of the first connection, until its first byte: then the client asks without a stream. */
  readonly firstByteMs: number;
  /** An answer that is no stream is whole after this time. */
  readonly answerMs: number;
  /** A token or project that was refused is tried again. */
  readonly refusedMs: number;
  /** The longest `Retry-After` and goodbye that are obeyed. */
  readonly retryAfterMaxMs: number;
  readonly pollMs: number;
  readonly usageMs: number;
  /** How long `close` waits for the last counts. */
  readonly closeMs: number;
  /** Between two writes of the cache file. */
  readonly cacheMs: number;
  /** How often it looks whether it is in another process now, or has a new token in the place of a refused one. */
  readonly pulseMs: number;
}

const second = 1000;

export const defaultTimings: Timings = {
  backoffFirstMs: 4 * second,
  backoffMaxMs: 30 * second,
  backoffMinMs: second,
  steadyMs: 60 * second,
  watchdogMs: 45 * second,
  firstByteMs: 2 * second,
  answerMs: 20 * second,
  refusedMs: 300 * second,
  retryAfterMaxMs: 3600 * second,
  pollMs: 30 * second,
  usageMs: 60 * second,
  closeMs: second,
  cacheMs: 5 * second,
  pulseMs: 5 * second,
};
