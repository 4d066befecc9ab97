import type { BootedServer } from '../../support/booted-server.ts';
import type { Settings } from '../../support/burgee-command.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { findPostgres, type PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import { idOf, projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { shop } from './shop.ts';
import { type Cluster, createCluster } from './three-nodes.ts';

export interface ShopNodes {
  readonly cluster: Cluster;
  readonly nodes: readonly BootedServer[];
  readonly project: string;
  readonly flag: string;
  readonly secret: string;
}

/** Three nodes with one flag: the one that the cluster was made of, and two that began with nothing. */
export async function shopNodes(test: Lifetime, settings: Settings = {}): Promise<ShopNodes> {
  const directory = temporaryDirectory(test);
  const provisioned = await provision(directory, temporaryDirectory(test), shop);
  const project = projectOf(provisioned, 'shop');
  const cluster = await createCluster(test, findPostgres().binaries as PostgresBinaries, directory, settings);
  const nodes = [await cluster.boot(directory), await cluster.boot(), await cluster.boot()];
  const flag = idOf(project.flags, 'checkout');
  return { cluster, nodes, project: project.id, flag, secret: tokenOf(project, 'ci').secret };
}

/** Turns the flag on or off. */
export function turn(
  { port }: BootedServer,
  flag: string,
  secret: string,
  enabled: boolean,
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/api/v1/flags/${flag}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ enabled }),
  });
}

export async function isOn({ port }: BootedServer, flag: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/flags/${flag}`);
  const { enabled } = (await answer.json()) as { enabled: boolean };
  return enabled;
}
