import type { SqlConnection, Statement } from './connection.ts';
import { readTimeoutMs, upkeepTimeoutMs } from './time-limits.ts';

/** Maximum of counts in one push or pull. */
export const usageRowsMax = 5000;

/** Counts of one key in one hour, of one node or the sum of several. */
export interface UsageCount {
  /** Unix milliseconds of the hour's beginning. */
  readonly bucket: number;
  /** Within the hour. */
  readonly key: string;
  /** Two counts, which only grow. */
  readonly first: number;
  readonly second: number;
}

/** Counts only grow, so a late or repeated push changes nothing. */
const pushStatement: Statement = {
  name: 'push usage',
  text: (schema) => `
    insert into ${schema}.usage as s (kind, bucket, key, node, first, second, pushed_at)
    select $1::text, u.bucket, u.key, $2::text, u.first, u.second, clock_timestamp()
    from unnest($3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) as u(bucket, key, first, second)
    order by u.bucket, u.key collate "C"
    on conflict (kind, bucket, key, node) do update set first = greatest(s.first, excluded.first),
      second = greatest(s.second, excluded.second), pushed_at = excluded.pushed_at
    where s.first < excluded.first or s.second < excluded.second`,
};

const pullStatement: Statement = {
  name: 'pull usage',
  text: (schema) => `
    select u.bucket, u.key, sum(u.first)::bigint as first, sum(u.second)::bigint as second from ${schema}.usage u
    where u.kind = $1::text and u.node <> $2::text and (u.bucket, u.key) > ($3::bigint, $4::text collate "C")
      and u.bucket <= $6::bigint
      and exists (select from ${schema}.usage c where c.kind = u.kind and c.bucket = u.bucket and c.key = u.key
        and c.node <> $2::text and c.pushed_at >= to_timestamp($5::bigint / 1000.0))
    group by u.bucket, u.key order by u.bucket, u.key limit ${usageRowsMax}`,
};

/**
 * Stores a node's total counts. It may be repeated.
 * @param node id of the data directory, which outlives its process
 * @param counts at most `usageRowsMax`, each key once
 */
export async function pushUsage(
  connection: SqlConnection,
  kind: string,
  node: string,
  counts: readonly UsageCount[],
): Promise<void> {
  if (counts.length > usageRowsMax)
    throw new RangeError(`${counts.length} counts are pushed at once, of ${usageRowsMax} at most`);
  const column = <Name extends keyof UsageCount>(name: Name): UsageCount[Name][] =>
    counts.map((count) => count[name]);
  const values = [kind, node, column('bucket'), column('key'), column('first'), column('second')];
  await connection.within(upkeepTimeoutMs, connection.run(pushStatement, values));
}

export interface UsagePull {
  readonly kind: string;
  /** Node whose own counts are left out. */
  readonly node: string;
  /** Only counts stored since then, in Unix milliseconds by PostgreSQL's clock. */
  readonly since: number;
  /** Key of the last count that was read. Begin with the first hour and an empty key. */
  readonly after: Pick<UsageCount, 'bucket' | 'key'>;
  /** Last hour to read. One statement searches all counts of the hours up to it, so keep the range short. */
  readonly until: number;
}

/** @returns sums over all other nodes, at most `usageRowsMax`; fewer mean the end */
export async function pullUsage(
  connection: SqlConnection,
  { kind, node, since, after, until }: UsagePull,
): Promise<readonly UsageCount[]> {
  const values = [kind, node, after.bucket, after.key, since, until];
  const sent = connection.run<UsageCount>(pullStatement, values);
  const { rows } = await connection.within(readTimeoutMs, sent);
  return rows;
}

/** @returns PostgreSQL's clock, in Unix milliseconds */
export async function readClock(connection: SqlConnection): Promise<number> {
  const query = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';
  const { rows } = await connection.within(readTimeoutMs, connection.run<{ now: number }>(query, []));
  return rows[0]?.now ?? 0;
}

/** Removes at most 10,000 counts of hours that are no longer shown. @returns how many; call it until it returns 0 */
export async function removeUsage(connection: SqlConnection, kind: string, before: number): Promise<number> {
  const { schema } = connection;
  const statement = `delete from ${schema}.usage u using (
    select kind, bucket, key, node from ${schema}.usage where kind = $1::text and bucket < $2::bigint limit 10000
  ) as old where (u.kind, u.bucket, u.key, u.node) = (old.kind, old.bucket, old.key, old.node)`;
  const { count } = await connection.within(upkeepTimeoutMs, connection.run(statement, [kind, before]));
  return count;
}
