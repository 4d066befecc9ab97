import type { SqlConnection, Statement } from './connection.ts';
import { upkeepTimeoutMs } from './time-limits.ts';

/** Timeout of a count: more than PostgreSQL's `lock_timeout`, 2 s. */
const countTimeoutMs = 3000;
/** Maximum of counts that one statement removes. */
const removedRows = 10_000;

/** Attempts on all nodes within a window that began with the first attempt. */
export interface AttemptCount {
  readonly key: string;
  /** Includes the attempt that was just counted. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly secondsLeft: number;
}

/** Locks keys in their order, so that two nodes cannot deadlock. */
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

/** Removes at most 10,000 counts whose window has ended. @returns how many; call it until it returns 0 */
export async function removeOldAttempts(connection: SqlConnection): Promise<number> {
  const { schema } = connection;
  const statement = `delete from ${schema}.attempt a using (
    select key from ${schema}.attempt where ends_at < clock_timestamp() limit ${removedRows} for update skip locked
  ) as old where a.key = old.key`;
  const { count } = await connection.within(upkeepTimeoutMs, connection.run(statement, []));
  return count;
}
