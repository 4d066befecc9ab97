import { connectToPrimary } from '../cluster/sql/connect.ts';
import type { SqlConnection } from '../cluster/sql/connection.ts';
import { parseClusterUrl } from '../config/cluster-url.ts';
import type { Config } from '../config/config.ts';
import { CommandFailure } from './command-failure.ts';

/**
 * Runs something on a connection to the PostgreSQL of a cluster.
 * @param command shown by PostgreSQL in its list of connections
 * @throws CommandFailure when no cluster is named; ClusterUrlError, ConnectError
 */
export async function withCluster<Result>(
  config: Pick<Config, 'clusterUrl' | 'clusterPasswordFile' | 'clusterSchema'>,
  command: string,
  run: (connection: SqlConnection) => Promise<Result>,
): Promise<Result> {
  const { clusterUrl, clusterPasswordFile, clusterSchema: schema } = config;
  if (clusterUrl === null) throw new CommandFailure(noUrl);
  const url = parseClusterUrl(clusterUrl, clusterPasswordFile);
  const connection = await connectToPrimary({ url, schema, node: command });
  try {
    return await run(connection);
  } catch (fault) {
    throw withAdvice(fault, schema);
  } finally {
    await connection.end();
  }
}

/** A schema without tables: before `create`, or a wrong name. */
function withAdvice(fault: unknown, schema: string): unknown {
  const isMissing = (fault as { code?: string }).code === '42P01';
  if (!isMissing) return fault;
  return new CommandFailure(
    `There is no cluster in the schema ${schema} of PostgreSQL. Make one with \`burgee cluster create\`, or name another schema by BURGEE_CLUSTER_SCHEMA.`,
  );
}

const noUrl = 'No cluster is named. Set BURGEE_CLUSTER_URL=postgres://USER@HOST/DATABASE.';
