import { Client } from 'pg';
import { answerLoad } from '../load/load-program.ts';
import { PatchCounter, type PatchFigures } from './patch-figures.ts';
import type { PostgresLoad } from './patch-loads.ts';

/** The bytes that a real patch has written. */
interface PatchedRows {
  readonly changes: Buffer;
  readonly databases: readonly string[];
  readonly keys: readonly Buffer[];
  readonly values: readonly Buffer[];
}

/** Tables of the same shape and settings as the cluster's own. */
const tables = `
  create schema if not exists bare;
  create table if not exists bare.head (id int primary key, position bigint not null) with (fillfactor = 50);
  create table if not exists bare.log (position bigint primary key, changes bytea not null);
  alter table bare.log alter column changes set storage external;
  create table if not exists bare.record (
    database text collate "C" not null, key bytea not null, value bytea not null, position bigint not null,
    primary key (database, key)
  ) with (fillfactor = 85);
  insert into bare.head values (1, 1) on conflict do nothing`;

/** One statement, like a node's commit. */
const commit = `
  with moved as (update bare.head set position = position + 1 returning position),
  logged as (insert into bare.log select position, $1 from moved),
  stored as (
    insert into bare.record
    select database, key, value, position
    from moved, unnest($2::text[], $3::bytea[], $4::bytea[]) as put (database, key, value)
    on conflict (database, key) do update set value = excluded.value, position = excluded.position
  )
  select position from moved`;

async function readRows(client: Client): Promise<PatchedRows> {
  const { rows: log } = await client.query<{ position: string; changes: Buffer }>(
    'select position, changes from burgee.log order by position desc, part desc limit 1',
  );
  const [newest] = log;
  if (newest === undefined) throw new Error('a change has left no row in PostgreSQL');
  const { rows } = await client.query<{ database: string; key: Buffer; value: Buffer }>({
    text: 'select database, key, value from burgee.record where position = $1',
    values: [newest.position],
  });
  return {
    changes: newest.changes,
    databases: rows.map(({ database }) => database),
    keys: rows.map(({ key }) => key),
    values: rows.map(({ value }) => value),
  };
}

async function runPostgresCommits({ clusterUrl, seconds }: PostgresLoad): Promise<PatchFigures> {
  const client = new Client(clusterUrl);
  await client.connect();
  try {
    await client.query(tables);
    const { changes, databases, keys, values } = await readRows(client);
    const statement = { name: 'commit', text: commit, values: [changes, databases, keys, values] };
    await client.query(statement);
    const counter = new PatchCounter();
    for (const endAtMs = performance.now() + seconds * 1000; performance.now() < endAtMs; ) {
      const beganAtMs = performance.now();
      await client.query(statement);
      counter.countChange(beganAtMs);
    }
    return counter.figures();
  } finally {
    await client.end();
  }
}

await answerLoad(runPostgresCommits);
