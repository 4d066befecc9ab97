/** Durations in milliseconds. Tests of bad days use shorter ones; a program has `defaultTimings` (decision 0065). */
export interface Timings {
  /** Upper bound of the first wait after a lost connection, above `backoffMinMs`; it doubles with each failure. */
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  /** The shortest time between two connections. */
  readonly backoffMinMs: number;
  /** A connection that lasted this long resets the backoff. */
  readonly steadyMs: number;
  /**
   * A connection without a byte for this long is closed: the service sends a beat every 15 seconds. A client whose polls
   * got no answer for this long is `stale`.
   */
  readonly watchdogMs: number;
  /** The same for the first byte of the first connection. After it the client polls. */
  readonly firstByteMs: number;
  /** Timeout of a response that is not a stream. */
  readonly answerMs: number;
  /** Wait before a refused token or project is tried again. */
  readonly refusedMs: number;
  /** The longest wait that the service may ask for, by `Retry-After` or a goodbye. */
  readonly retryAfterMaxMs: number;
  readonly pollMs: number;
  readonly usageMs: number;
  /** How long `close` waits for the last counts. */
  readonly closeMs: number;
  /** Between two writes of the cache file. */
  readonly cacheMs: number;
  /** How often the client checks whether its process was forked, or a refused token was replaced. */
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
