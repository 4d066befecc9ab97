import type { Logger } from '../../observability/logger.ts';
import type { ClusterMeter } from './cluster-meter.ts';

/** Tolerated clock difference. Times in the audit log and expiries use each node's own clock; leases do not. */
const skewMsMax = 1000;

/** Compares this machine's clock with PostgreSQL's, which is the same for all nodes. */
export class ClockWatch {
  readonly #meter: ClusterMeter;
  readonly #log: Logger;
  #isOff = false;

  constructor(meter: ClusterMeter, log: Logger) {
    this.#meter = meter;
    this.#log = log;
  }

  /**
   * @param sentAt this machine's time when the question was sent, in Unix milliseconds
   * @param databaseTime PostgreSQL's answer
   * @param answeredAt this machine's time of the answer
   */
  compare(sentAt: number, databaseTime: number, answeredAt: number): void {
    if (Number.isNaN(databaseTime) || answeredAt < sentAt) return;
    const aheadMs = (sentAt + answeredAt) / 2 - databaseTime;
    this.#meter.showClockSkew(aheadMs);
    // PostgreSQL may have read its clock at any time in between: subtract what the delay explains.
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
