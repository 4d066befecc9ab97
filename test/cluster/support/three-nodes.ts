import { type BootedServer, bootServer, unlimited } from '../../support/booted-server.ts';
import { runBurgee, type Settings } from '../../support/burgee-command.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import {
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from '../../support/postgres/postgres-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export interface Cluster {
  readonly postgres: PostgresServer;
  readonly settings: Settings;
  /** Boots a node, in a directory of its own unless one is given. */
  boot(dataDir?: string): Promise<BootedServer>;
}

/** A PostgreSQL of a test's own, and a cluster in it that was made of a directory. */
export async function createCluster(
  t: Lifetime,
  binaries: PostgresBinaries,
  dataDir: string,
  more: Settings = {},
  postgresOptions: PostgresOptions = {},
): Promise<Cluster> {
  const postgres = await startPostgres(t, binaries, postgresOptions);
  const settings = { ...unlimited, BURGEE_CLUSTER_URL: postgres.url(), BURGEE_WORKERS: '1', ...more };
  const { code, stderr } = await runBurgee(['cluster', 'create', '--data-dir', dataDir], settings);
  if (code !== 0) throw new Error(`no cluster was made: ${stderr}`);
  return {
    postgres,
    settings,
    boot: (directory = temporaryDirectory(t)) => bootServer(t, { dataDir: directory, settings }),
  };
}
