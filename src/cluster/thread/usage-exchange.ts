import { hourMs, hourOf, hoursKept } from '../../domain/usage/evaluation-count.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { CountRow } from '../client/replica-protocol.ts';
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

/** How often nodes tell one another what they have counted. */
const exchangeEveryMs = 10_000;
/** Pushes of one turn, and pulls, of 5,000 counts each: the rest comes with the next turn. Of each hour that is pulled, one may have fewer. */
const pagesOfTurn = 20;
/** For so long a turn reads: the duties of the node wait meanwhile. */
const turnMs = 2000;
/** Between two pulls of all hours; the others are of the newest two, to which nearly all counts belong. */
const allHoursEveryMs = 10 * 60_000;
/** What was told while it was read may be seen by the next pull only: longer than a statement of PostgreSQL takes. */
const overlapMs = 30_000;
/** Of the last statement of a pull: clocks of other nodes may be ahead. */
const endOfTime = Number.MAX_SAFE_INTEGER;
const kind = 'evaluations';

/** A read of what others have told, hour by hour, of as many pages as it takes. */
interface Pull {
  readonly isOfAllHours: boolean;
  /** What was told before was read. */
  readonly since: number;
  /** Where it goes on. */
  after: Pick<UsageCount, 'bucket' | 'key'>;
  /** From when on the next one of its kind reads. */
  readonly begunAt: number;
}

/**
 * Tells the other nodes what this one has counted, and adds what they have to the sums that are shown here. Each node tells
 * its counts as a whole, not what was added: told twice they count once.
 */
export class UsageExchange {
  readonly #port: ReplicaPort;
  #exchangedAt = Number.NEGATIVE_INFINITY;
  /** By PostgreSQL's clock. */
  #since = 0;
  /** The same for all hours: a node that was cut off tells those of that time late. */
  #allSince = 0;
  #allPulledAt = Number.NEGATIVE_INFINITY;
  #pull: Pull | null = null;

  constructor(port: ReplicaPort) {
    this.#port = port;
  }

  /** PostgreSQL may have lost what it was told: everything is told, and read, again. */
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

  /** @returns whether there is more to tell */
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

/** Removes what is too old to be shown. @returns how many counts */
export async function removeOldUsage(connection: SqlConnection): Promise<number> {
  return await removeUsage(connection, kind, hourOf(Date.now()) - (hoursKept - 1) * hourMs);
}

function toUsageCount({ hour, flagId, environmentNumber, on, off }: CountRow): UsageCount {
  return { bucket: hour, key: `${flagId}/${environmentNumber}`, first: on, second: off };
}

function toCountRow({ bucket, key, first, second }: UsageCount): CountRow {
  const [flagId = '', environment = ''] = key.split('/');
  return { hour: bucket, flagId, environmentNumber: Number(environment), on: first, off: second };
}
