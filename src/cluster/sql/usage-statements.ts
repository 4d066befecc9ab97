import type { SqlConnection, Statement } from './connection.ts';
import { readTimeoutMs, upkeepTimeoutMs } from './time-limits.ts';

/** Sums that one push may bring, and one pull. */
export const usageSumsMax = 5000;

/** What all nodes counted of something in an hour. */
export interface UsageSum {
  /** Of what, for example `evaluations`. */
  readonly kind: string;
  /** Unix milliseconds of the hour's beginning. */
  readonly bucket: number;
  /** Within kind and bucket. */
  readonly key: string;
  /** Two counts that are added; their meaning is the kind's. */
  readonly first: number;
  readonly second: number;
  /** Unix milliseconds of the newest that was counted, and what is noted of it: the newest node's is kept. */
  readonly lastAt: number;
  readonly last: string | null;
}

/** The place of a sum, from which on more are read. */
export type UsagePlace = Pick<UsageSum, 'kind' | 'bucket' | 'key'>;

/** The node's row is updated by the first of several pushes with one number: a later one, of which this is a repetition, adds nothing. */
const pushStatement: Statement = {
  name: 'push usage',
  text: (schema) => `
    with fresh as (
      update ${schema}.node set pushed = $2::bigint where id = $1::text and pushed < $2::bigint returning id
    ), added as (
      insert into ${schema}.usage as s (kind, bucket, key, first, second, last_at, last)
      select u.kind, u.bucket, u.key, u.first, u.second, u.last_at, u.last
      from fresh, unnest($3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[])
        as u(kind, bucket, key, first, second, last_at, last)
      order by u.kind collate "C", u.bucket, u.key collate "C"
      on conflict (kind, bucket, key) do update set first = s.first + excluded.first, second = s.second + excluded.second,
        last = case when excluded.last_at > s.last_at then excluded.last else s.last end,
        last_at = greatest(s.last_at, excluded.last_at)
    )
    select (select count(*) from fresh)::int as fresh, (select count(*) from ${schema}.node where id = $1::text)::int as nodes`,
};

const pullStatement: Statement = {
  name: 'pull usage',
  text: (schema) => `
    select kind, bucket, key, first, second, last_at as "lastAt", last from ${schema}.usage
    where kind = $1::text and (bucket, key) > ($2::bigint, $3::text collate "C") order by bucket, key limit ${usageSumsMax}`,
};

/**
 * Adds what a node counted to the sums of all.
 *
 * @param number one more with each push of the node: where the outcome of one is unknown, the same push with the same
 *   number is sent again, and counts once
 * @param sums `usageSumsMax` at most, each place once
 * @returns `unknown-node` where the node has no row, so that nothing was added: renew, then push again
 */
export async function pushUsage(
  connection: SqlConnection,
  node: string,
  number: number,
  sums: readonly UsageSum[],
): Promise<'added' | 'was-added' | 'unknown-node'> {
  if (sums.length > usageSumsMax)
    throw new RangeError(`${sums.length} sums are pushed at once, of ${usageSumsMax} at most`);
  const column = <Name extends keyof UsageSum>(name: Name): UsageSum[Name][] => sums.map((sum) => sum[name]);
  const values = [
    node,
    number,
    column('kind'),
    column('bucket'),
    column('key'),
    column('first'),
    column('second'),
    column('lastAt'),
    column('last'),
  ];
  const sent = connection.run<{ fresh: number; nodes: number }>(pushStatement, values);
  const { rows } = await connection.within(upkeepTimeoutMs, sent);
  if (rows[0]?.fresh === 1) return 'added';
  return rows[0]?.nodes === 1 ? 'was-added' : 'unknown-node';
}

/**
 * Reads the sums of a kind behind a place, in the order of bucket and key.
 * @param place bucket and key of the last that was read; to begin, a bucket and an empty key
 * @returns `usageSumsMax` at most: with fewer it was the end
 */
export async function pullUsage(connection: SqlConnection, place: UsagePlace): Promise<readonly UsageSum[]> {
  const sent = connection.run<UsageSum>(pullStatement, [place.kind, place.bucket, place.key]);
  const { rows } = await connection.within(readTimeoutMs, sent);
  return rows;
}

/** Removes sums of hours that nobody is shown any more. @returns how many, 10,000 at most: call it until it says 0 */
export async function removeUsage(connection: SqlConnection, kind: string, before: number): Promise<number> {
  const { schema } = connection;
  const statement = `delete from ${schema}.usage u using (
    select kind, bucket, key from ${schema}.usage where kind = $1::text and bucket < $2::bigint limit 10000
  ) as old where (u.kind, u.bucket, u.key) = (old.kind, old.bucket, old.key)`;
  const { count } = await connection.within(upkeepTimeoutMs, connection.run(statement, [kind, before]));
  return count;
}
