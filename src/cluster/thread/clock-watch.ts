import type { Logger } from '../../observability/logger.ts';
import type { ClusterMeter } from './cluster-meter.ts';

/** Of times in the audit log and of expiries, which each node takes from its own clock. Leases do not depend on it. */
const skewMsMax = 1000;

/** Compares this machine's clock with PostgreSQL's: all nodes compare theirs with the same one. */
export class ClockWatch {
  readonly #meter: ClusterMeter;
  readonly #log: Logger;
  #isOff = false;

  constructor(meter: ClusterMeter, log: Logger) {
    this.#meter = meter;
    this.#log = log;
  }

  /**
   * @param sentAt of this machine's clock in Unix milliseconds, when PostgreSQL was asked for the time
   * @param databaseTime what it answered
   * @param answeredAt when the answer came
   */
  compare(sentAt: number, databaseTime: number, answeredAt: number): void {
    if (Number.isNaN(databaseTime) || answeredAt < sentAt) return;
    const aheadMs = (sentAt + answeredAt) / 2 - databaseTime;
    this.#meter.showClockSkew(aheadMs);
    // The answer may have been made at any moment in between: only what no delay explains counts.
    const isOff = Math.abs(aheadMs) - (answeredAt - sentAt) / 2 > skewMsMax;
    if (isOff && !this.#isOff) {
      const seconds = Math.round(aheadMs / 100) / 10;
      this.#log.warn(
        { seconds },
        "this machine's clock is more than a second ahead of PostgreSQL's, or behind",
      );
    }
    this.#isOff = isOff;
  }
}
