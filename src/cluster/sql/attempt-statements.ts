import type { SqlConnection, Statement } from './connection.ts';
import { upkeepTimeoutMs } from './time-limits.ts';

/** How long somebody who signs in waits for a count: longer than PostgreSQL waits for a lock (`lock_timeout`), 2 s. */
const countTimeoutMs = 3000;
/** Counts that one statement removes. */
const removedRows = 10_000;

/** How often something was attempted by all nodes, within a window that began with the first attempt. */
export interface AttemptCount {
  readonly key: string;
  /** With the one that was counted now. */
  readonly count: number;
  /** Whole seconds until the window ends, 1 at least. */
  readonly secondsLeft: number;
}

/** In the order of keys: two nodes that count the same never wait for each other. */
const countStatement: Statement = {
  name: 'count attempts',
  text: (schema) => `
    insert into ${schema}.attempt as a (key, count, ends_at)
    select u.key, 1, clock_timestamp() + $2::bigint * interval '1 millisecond'
    from unnest($1::text[]) as u(key) order by u.key collate "C"
    on conflict (key) do update set
      count = case when a.ends_at > clock_timestamp() then a.count + 1 else 1 end,
      ends_at = case when a.ends_at > clock_timestamp() then a.ends_at else excluded.ends_at end
    returning a.key, a.count, greatest(1, ceil(extract(epoch from a.ends_at - clock_timestamp())))::int as "secondsLeft"`,
};

const giveBackStatement: Statement = {
  name: 'give back attempts',
  text: (schema) => `
    with given as (
      select key from ${schema}.attempt where key = any($1::text[]) and ends_at > clock_timestamp()
      order by key for update
    )
    update ${schema}.attempt a set count = a.count - 1 from given where a.key = given.key and a.count > 0`,
};

/**
 * Counts one attempt for each key, atomically over all nodes.
 * @param keys each once
 * @param windowMs for keys whose window begins now
 */
export async function countAttempts(
  connection: SqlConnection,
  keys: readonly string[],
  windowMs: number,
): Promise<readonly AttemptCount[]> {
  const sent = connection.run<AttemptCount>(countStatement, [keys, windowMs]);
  return (await connection.within(countTimeoutMs, sent)).rows;
}

/** Takes back one attempt of each key whose window has not ended. */
export async function giveBackAttempts(connection: SqlConnection, keys: readonly string[]): Promise<void> {
  await connection.within(countTimeoutMs, connection.run(giveBackStatement, [keys]));
}

/** Removes counts whose window has ended, 10,000 at most: call it again until it says 0. @returns how many */
export async function removeOldAttempts(connection: SqlConnection): Promise<number> {
  const { schema } = connection;
  const statement = `delete from ${schema}.attempt a using (
    select key from ${schema}.attempt where ends_at < clock_timestamp() limit ${removedRows} for update skip locked
  ) as old where a.key = old.key`;
  const { count } = await connection.within(upkeepTimeoutMs, connection.run(statement, []));
  return count;
}
