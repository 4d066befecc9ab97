import type { EvaluationCount } from '../../domain/usage/evaluation-count.ts';
import { hourMs, hourOf, hoursKept } from '../../domain/usage/evaluation-count.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { SqlConnection } from '../sql/connection.ts';
import {
  pullUsage,
  pushUsage,
  readClock,
  removeUsage,
  type UsageCount,
  usageRowsMax,
} from '../sql/usage-statements.ts';
import type { ReplicaPort } from './replica-client.ts';

/** Interval of exchanges. */
const exchangeEveryMs = 10_000;
/** Maximum of pushes, and of pulls, in one exchange, of 5,000 counts each. The rest follows in the next exchange. */
const pagesOfTurn = 20;
/** Time for reading in one exchange. The node's duties wait meanwhile. */
const turnMs = 2000;
/** Interval of pulls of all hours. Other pulls read the newest two, which have nearly all counts. */
const allHoursEveryMs = 10 * 60_000;
/** Overlap of pulls, because counts stored during a pull may be missing in it. It is longer than any statement. */
const overlapMs = 30_000;
/** End of a pull's last statement, because clocks of other nodes may be ahead. */
const endOfTime = Number.MAX_SAFE_INTEGER;
const kind = 'evaluations';

/** A read of other nodes' counts, hour by hour, page by page. */
interface Pull {
  readonly isOfAllHours: boolean;
  /** Counts stored before then were read. */
  readonly since: number;
  /** Key after which the next page begins. */
  after: Pick<UsageCount, 'bucket' | 'key'>;
  /** Start of this pull, from which the next one reads. */
  readonly begunAt: number;
}

/**
 * Sends this node's counts to PostgreSQL, and adds other nodes' counts to the sums that are shown here. A node sends
 * totals, so that repeats do not count twice.
 */
export class UsageExchange {
  readonly #port: ReplicaPort;
  #exchangedAt = Number.NEGATIVE_INFINITY;
  /** Start of the last pull, by PostgreSQL's clock. */
  #since = 0;
  /** Start of the last pull of all hours. A node that was cut off sends its counts late. */
  #allSince = 0;
  #allPulledAt = Number.NEGATIVE_INFINITY;
  #pull: Pull | null = null;

  constructor(port: ReplicaPort) {
    this.#port = port;
  }

  /** Sends and reads everything again, because PostgreSQL may have lost counts. */
  async restart(): Promise<void> {
    this.#since = 0;
    this.#allSince = 0;
    this.#allPulledAt = Number.NEGATIVE_INFINITY;
    this.#pull = null;
    this.#exchangedAt = Number.NEGATIVE_INFINITY;
    await this.#port.ask('tellUsageAgain', null);
  }

  async exchangeIfDue(connection: SqlConnection): Promise<void> {
    const now = monotonicMs();
    if (now - this.#exchangedAt < exchangeEveryMs) return;
    this.#exchangedAt = now;
    const hasMore = await this.push(connection);
    if ((await this.#read(connection)) || hasMore) this.#exchangedAt = Number.NEGATIVE_INFINITY;
  }

  /** @returns whether there is more to send */
  async push(connection: SqlConnection): Promise<boolean> {
    for (let page = 0; page < pagesOfTurn; page += 1) {
      const { id, counts } = await this.#port.ask('takeUsage', { max: usageRowsMax });
      if (counts.length === 0) return false;
      try {
        await pushUsage(connection, kind, id, counts.map(toUsageCount));
      } catch (fault) {
        await this.#port.ask('keepUsage', counts);
        throw fault;
      }
    }
    return true;
  }

  /** @returns whether there is more to read */
  async #read(connection: SqlConnection): Promise<boolean> {
    const { id } = await this.#port.ask('takeUsage', { max: 0 });
    this.#pull ??= await this.#begin(connection);
    const pull = this.#pull;
    const until = monotonicMs() + turnMs;
    for (let full = 0; full < pagesOfTurn && monotonicMs() < until; ) {
      const { since, after } = pull;
      const lastHour = after.bucket < hourOf(Date.now()) ? after.bucket : endOfTime;
      const rows = await pullUsage(connection, { kind, node: id, since, after, until: lastHour });
      if (rows.length > 0) await this.#port.ask('addUsage', rows.map(toCountRow));
      const last = rows.at(-1);
      const isFull = rows.length === usageRowsMax;
      if (isFull) full += 1;
      if (last !== undefined && isFull) pull.after = last;
      else if (lastHour < endOfTime) pull.after = { bucket: lastHour + hourMs, key: '' };
      else {
        this.#end(pull);
        return false;
      }
    }
    return true;
  }

  async #begin(connection: SqlConnection): Promise<Pull> {
    const isOfAllHours = monotonicMs() - this.#allPulledAt >= allHoursEveryMs;
    const hours = isOfAllHours ? hoursKept : 2;
    return {
      isOfAllHours,
      since: isOfAllHours ? this.#allSince : this.#since,
      after: { bucket: hourOf(Date.now()) - (hours - 1) * hourMs, key: '' },
      begunAt: (await readClock(connection)) - overlapMs,
    };
  }

  #end({ isOfAllHours, begunAt }: Pull): void {
    this.#pull = null;
    this.#since = begunAt;
    if (!isOfAllHours) return;
    this.#allSince = begunAt;
    this.#allPulledAt = monotonicMs();
  }
}

/** Removes counts that are too old to be shown. @returns how many */
export async function removeOldUsage(connection: SqlConnection): Promise<number> {
  return await removeUsage(connection, kind, hourOf(Date.now()) - (hoursKept - 1) * hourMs);
}

function toUsageCount({ hour, flagId, environmentNumber, on, off }: EvaluationCount): UsageCount {
  return { bucket: hour, key: `${flagId}/${environmentNumber}`, first: on, second: off };
}

function toCountRow({ bucket, key, first, second }: UsageCount): EvaluationCount {
  const [flagId = '', environment = ''] = key.split('/');
  return { hour: bucket, flagId, environmentNumber: Number(environment), on: first, off: second };
}
