import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { BootedServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { bearer } from '../support/http-client.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createCluster } from './support/three-nodes.ts';

const { binaries, skip } = findPostgres();
t.setTimeout(240_000);

const flagsApplied = 6_000;
const writersOfNode = 2;

function documentOf(flags: readonly string[]): object {
  const project = {
    name: 'shop',
    flags: flags.map((name) => ({ name, enabled: true })),
    tokens: [{ name: 'ci', permission: 'write' }],
  };
  return { organisations: [{ name: 'acme', plan: 'enterprise', projects: [project] }] };
}

t.test('a large apply succeeds while other nodes change things all the time', { skip }, async (t) => {
  const directory = temporaryDirectory(t);
  const busy = Array.from({ length: writersOfNode * 2 }, (_, index) => `busy ${index}`);
  const project = projectOf(await provision(directory, temporaryDirectory(t), documentOf(busy)), 'shop');
  const { secret } = tokenOf(project, 'ci');
  const cluster = await createCluster(t, binaries as PostgresBinaries, directory, {
    BURGEE_CLUSTER_WAIT_MS: '60000',
  });
  const nodes = [await cluster.boot(directory), await cluster.boot(), await cluster.boot()];
  const [first, ...others] = nodes as [BootedServer, BootedServer, BootedServer];

  let isOver = false;
  const statuses = new Map<number, number>();
  const writers = busy.map(async (name, index) => {
    const { port } = others[index % 2] as BootedServer;
    for (let round = 0; !isOver; round += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/flags/${idOf(project.flags, name)}`, {
        method: 'PATCH',
        headers: { ...bearer(secret), 'content-type': 'application/json' },
        body: JSON.stringify({ trafficPercentage: round % 101 }),
      });
      await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  });
  await eventually(() => (statuses.get(200) ?? 0) >= busy.length, 30_000, 'others change things');
  const file = join(temporaryDirectory(t), 'large.json');
  const names = Array.from({ length: flagsApplied }, (_, index) => `large ${index}`);
  writeFileSync(file, JSON.stringify(documentOf(names)));
  const applied = await runBurgee(['apply', file, '--data-dir', first.dataDir], cluster.settings);
  isOver = true;
  await Promise.all(writers);
  t.equal(applied.code, 0, applied.stderr);
  if (applied.code !== 0) for (const node of nodes) t.comment(node.lines.slice(-30).join('\n'));
  t.comment(Object.fromEntries(statuses));
  for (const status of statuses.keys()) t.ok([200, 503].includes(status), `${status}`);
  for (const { port } of nodes) {
    const hasAll = async (): Promise<boolean> => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/flags/project/${project.id}`);
      const flags = (await answer.json()) as readonly unknown[];
      return answer.status === 200 && flags.length === flagsApplied + busy.length;
    };
    await eventually(hasAll, 30_000, 'the node evaluates all of them');
  }
});
