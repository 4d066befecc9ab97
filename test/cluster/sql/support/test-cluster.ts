import { createHash, randomUUID } from 'node:crypto';
import type { CommitRequest } from '../../../../src/cluster/sql/commit-statements.ts';
import { connectToPrimary } from '../../../../src/cluster/sql/connect.ts';
import type { SqlConnection } from '../../../../src/cluster/sql/connection.ts';
import { createCluster } from '../../../../src/cluster/sql/record-statements.ts';
import type { LogRow, RecordRow } from '../../../../src/cluster/sql/rows.ts';
import { parseClusterUrl } from '../../../../src/config/cluster-url.ts';
import { newId } from '../../../../src/support/random-id.ts';
import type { Lifetime } from '../../../support/lifetime.ts';
import type { TestDatabase } from '../../../support/postgres/test-database.ts';

/** A position of the history and its checksum: what a node decides on. */
export type Place = Pick<LogRow, 'position' | 'checksum'>;

/** A cluster in a schema of its own. */
export interface TestCluster {
  readonly url: string;
  readonly schema: string;
  readonly beginning: Place;
  /** Another connection, of another node unless one is named. */
  connect(node?: string): Promise<SqlConnection>;
}

/** @returns the record that tests put under a key of one letter */
export function recordOf(key: string, value: string): RecordRow {
  return { database: 'flags', key: Buffer.from(key), value: Buffer.from(value) };
}

export async function connectForTest(
  t: Lifetime,
  url: string,
  schema: string,
  node = newId(),
): Promise<SqlConnection> {
  const connection = await connectToPrimary({ url: parseClusterUrl(url, null), schema, node });
  t.teardown(() => connection.end());
  return connection;
}

/** Makes a cluster. @param records that it begins with */
export async function makeTestCluster(
  t: Lifetime,
  { url, freshSchema }: TestDatabase,
  records: Iterable<RecordRow> = [],
): Promise<TestCluster> {
  const schema = freshSchema();
  const checksum = sha256('the beginning');
  const connection = await connectForTest(t, url, schema);
  await createCluster(connection, { store: 'store', format: 1, checksum, records });
  return {
    url,
    schema,
    beginning: { position: 1, checksum },
    connect: (node) => connectForTest(t, url, schema, node),
  };
}

/** @returns what a node asks to commit on a place */
export function requestOn(
  { position, checksum: previousChecksum }: Place,
  {
    node = 'node',
    changes = 'changes',
    puts = [],
    removals = [],
    format = 1,
  }: Partial<Pick<CommitRequest, 'puts' | 'removals'>> & {
    node?: string;
    changes?: string | Buffer;
    format?: number;
  } = {},
): CommitRequest {
  const batch = randomUUID();
  const bytes = Buffer.from(changes as string);
  const checksum = sha256(Buffer.concat([previousChecksum, Buffer.from(batch), bytes]));
  return {
    previousChecksum,
    row: { position: position + 1, node, batch, format, changes: bytes, checksum },
    puts,
    removals,
  };
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}
