import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { connectToPrimary } from '../../../src/cluster/sql/connect.ts';
import type { SqlConnection } from '../../../src/cluster/sql/connection.ts';
import { parseClusterUrl } from '../../../src/config/cluster-url.ts';
import { openReplicaView } from '../../../src/storage/replica/replica-view.ts';
import type { ReplicaPlace } from '../../../src/storage/tables/meta.ts';
import { type BootedServer, bootServer, unlimited } from '../../support/booted-server.ts';
import { type CommandResult, runBurgee, type Settings } from '../../support/burgee-command.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { TestDatabase } from '../../support/postgres/test-database.ts';
import { idOf, projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { shop } from './shop.ts';

/** A cluster in a schema of a shared PostgreSQL, made of a directory with one flag. */
export interface OperatedCluster {
  readonly schema: string;
  readonly settings: Settings;
  /** That it was made of. */
  readonly directory: string;
  readonly project: string;
  readonly flag: string;
  readonly secret: string;
  boot(dataDir?: string): Promise<BootedServer>;
  /** Runs a command that names the cluster. */
  burgee(...words: readonly string[]): Promise<CommandResult>;
  connect(): Promise<SqlConnection>;
}

interface MadeStore {
  readonly directory: string;
  readonly project: string;
  readonly flag: string;
  readonly secret: string;
}

let made: Promise<MadeStore> | null = null;

/** A store is provisioned once for a test file; each test gets a copy of its own. */
async function makeStore(t: Lifetime): Promise<MadeStore> {
  const directory = temporaryDirectory(t);
  const project = projectOf(await provision(directory, temporaryDirectory(t), shop), 'shop');
  const flag = idOf(project.flags, 'checkout');
  return { directory, project: project.id, flag, secret: tokenOf(project, 'ci').secret };
}

/** @param file the whole test file, which the store lives as long as */
export async function operatedCluster(
  file: Lifetime,
  t: Lifetime,
  database: TestDatabase,
): Promise<OperatedCluster> {
  made ??= makeStore(file);
  const { directory: source, project, flag, secret } = await made;
  const directory = join(temporaryDirectory(t), 'data');
  cpSync(source, directory, { recursive: true });
  const schema = database.freshSchema();
  const settings = {
    ...unlimited,
    BURGEE_CLUSTER_URL: database.url,
    BURGEE_CLUSTER_SCHEMA: schema,
    BURGEE_WORKERS: '1',
  };
  return {
    ...{ schema, settings, directory, project, flag, secret },
    boot: (dataDir = temporaryDirectory(t)) => bootServer(t, { dataDir, settings }),
    burgee: (...words) => runBurgee(words, settings),
    connect: async () => {
      const url = parseClusterUrl(database.url, null);
      const connection = await connectToPrimary({ url, schema, node: 'test' });
      t.teardown(() => connection.end());
      return connection;
    },
  };
}

/** @returns where a directory stands in the log; null of one that follows none */
export async function placeOf(directory: string): Promise<ReplicaPlace | null> {
  const view = openReplicaView(directory);
  const { place } = view;
  await view.close();
  return place;
}

/** Sets the percentage of the flag. @returns the status of the answer */
export async function setPercentage(
  { port }: BootedServer,
  { flag, secret }: Pick<OperatedCluster, 'flag' | 'secret'>,
  trafficPercentage: number,
): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/flags/${flag}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ trafficPercentage }),
  });
  await answer.text();
  return answer.status;
}

/** @returns the percentage of the flag; null where the Management API refuses to say */
export async function percentageOf(
  { port }: BootedServer,
  { flag, secret }: Pick<OperatedCluster, 'flag' | 'secret'>,
): Promise<number | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/flags/${flag}`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  const { trafficPercentage } = (await answer.json()) as { trafficPercentage?: number };
  return answer.status === 200 ? (trafficPercentage ?? null) : null;
}

/** @returns what a client of sync is answered; @param known the `ETag` of what it has */
export function syncOf(
  { port }: BootedServer,
  { project, secret }: Pick<OperatedCluster, 'project' | 'secret'>,
  known?: string,
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/sync/v1/${project}`, {
    headers: {
      Authorization: `Bearer ${secret}`,
      ...(known === undefined ? {} : { 'If-None-Match': known }),
    },
  });
}

/** @returns whether the node says of an evaluation that it does not know the newest state */
export async function isDetached({ port }: BootedServer, { flag }: OperatedCluster): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/flags/${flag}`);
  await answer.text();
  if (answer.status !== 200) throw new Error(`an evaluation was answered ${answer.status}`);
  return answer.headers.get('burgee-state') === 'detached';
}
