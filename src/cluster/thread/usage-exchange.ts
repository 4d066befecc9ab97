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
/** Pushes of one turn, and pulls, of 5,000 counts each: the rest comes with the next turn. */
const pagesOfTurn = 20;
/** What was told while it was read may be seen by the next pull only: longer than a statement of PostgreSQL takes. */
const overlapMs = 30_000;
const kind = 'evaluations';

/**
 * Tells the other nodes what this one has counted, and adds what they have to the sums that are shown here. Each node tells
 * its counts as a whole, not what was added: told twice they count once.
 */
export class UsageExchange {
  readonly #port: ReplicaPort;
  #exchangedAt = Number.NEGATIVE_INFINITY;
  /** By PostgreSQL's clock. */
  #since = 0;
  /** Where a pull of many pages goes on. */
  #after: Pick<UsageCount, 'bucket' | 'key'> | null = null;
  #pulledFrom = 0;

  constructor(port: ReplicaPort) {
    this.#port = port;
  }

  /** PostgreSQL may have lost what it was told: everything is told, and read, again. */
  async restart(): Promise<void> {
    this.#since = 0;
    this.#after = null;
    this.#exchangedAt = Number.NEGATIVE_INFINITY;
    await this.#port.ask('tellUsageAgain', null);
  }

  async exchangeIfDue(connection: SqlConnection): Promise<void> {
    const now = monotonicMs();
    if (now - this.#exchangedAt < exchangeEveryMs) return;
    this.#exchangedAt = now;
    const hasMore = await this.push(connection);
    if ((await this.#pull(connection)) || hasMore) this.#exchangedAt = Number.NEGATIVE_INFINITY;
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
  async #pull(connection: SqlConnection): Promise<boolean> {
    const { id } = await this.#port.ask('takeUsage', { max: 0 });
    if (this.#after === null) {
      this.#pulledFrom = (await readClock(connection)) - overlapMs;
      this.#after = { bucket: hourOf(Date.now()) - (hoursKept - 1) * hourMs, key: '' };
    }
    for (let page = 0; page < pagesOfTurn; page += 1) {
      const rows = await pullUsage(connection, { kind, node: id, since: this.#since, after: this.#after });
      if (rows.length > 0) await this.#port.ask('addUsage', rows.map(toCountRow));
      const last = rows.at(-1);
      if (last === undefined || rows.length < usageRowsMax) {
        this.#since = this.#pulledFrom;
        this.#after = null;
        return false;
      }
      this.#after = last;
    }
    return true;
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
