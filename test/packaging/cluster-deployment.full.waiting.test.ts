import t, { type Test } from 'tap';
import { adminClientOf } from '../admin/admin-fixture.ts';
import { oneProject } from '../lifecycle/lifecycle-fixture.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { startPostgres, startStandby } from '../support/postgres/postgres-server.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readCompose } from './cluster-files.ts';
import { linkTo } from './cut-link.ts';
import { startProxy } from './running-proxy.ts';

/*
 * What deploy/compose.cluster.yaml starts, as processes without containers: PostgreSQL with a synchronous standby, three
 * nodes, and HAProxy with deploy/cluster/haproxy.cfg. Only addresses, ports and files are replaced.
 */
t.setTimeout(300_000);

const programs = debianPrograms('haproxy', 'openssl');
const { binaries, skip: noPostgres } = findPostgres();
const skip = programs.skip === false ? noPostgres : programs.skip;

interface NodePorts {
  readonly port: number;
  readonly adminPort: number;
}

/** Of a server line of deploy/cluster/haproxy.cfg. */
function substitutionsOf(nodes: readonly NodePorts[]): (readonly [RegExp, string])[] {
  return nodes.flatMap(({ port, adminPort }, index) => {
    const name = `"\\$\\{NODE_${index + 1}\\}":8080`;
    const checked: readonly [RegExp, string] = [
      new RegExp(`${name} port 9102`),
      `127.0.0.1:${port} port ${adminPort}`,
    ];
    return [checked, [new RegExp(name), `127.0.0.1:${port}`] as const];
  });
}

async function adminPortOf(server: BootedServer): Promise<number> {
  const line = await server.line((each) => each.includes('"adminPort":'));
  return Number(/"adminPort":(\d+)/.exec(line)?.[1]);
}

async function deploy(t: Test) {
  const primary = await startPostgres(t, binaries as PostgresBinaries);
  await startStandby(t, binaries as PostgresBinaries, primary, { isSynchronous: true });
  const dataDir = temporaryDirectory(t);
  const document = oneProject('harbour', {
    flags: [{ name: 'flag', enabled: true }],
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const { code, stderr } = await runBurgee(['cluster', 'create', '--data-dir', dataDir], {
    BURGEE_CLUSTER_URL: primary.url(),
  });
  if (code !== 0) throw new Error(stderr);
  const link = await linkTo(t, primary.port);
  const { services } = readCompose();
  const boot = (name: string, directory: string, port: number): Promise<BootedServer> => {
    const { BURGEE_CLUSTER_PASSWORD_FILE: _file, ...settings } = services[name]?.environment ?? {};
    const replaced = {
      BURGEE_CLUSTER_URL: `postgres://burgee@127.0.0.1:${port}/postgres`,
      BURGEE_ADMIN_HOST: '127.0.0.1',
      BURGEE_ADMIN_PORT: '0',
      BURGEE_TRUSTED_PROXIES: '127.0.0.1',
      BURGEE_WORKERS: '1',
    };
    return bootServer(t, { dataDir: directory, settings: { ...settings, ...unlimited, ...replaced } });
  };
  const nodes = [
    await boot('node-1', dataDir, primary.port),
    await boot('node-2', temporaryDirectory(t), primary.port),
    await boot('node-3', temporaryDirectory(t), link.port),
  ] as const;
  const ports: NodePorts[] = [];
  for (const node of nodes) ports.push({ port: node.port, adminPort: await adminPortOf(node) });
  const haproxy = pathOf(programs, 'haproxy');
  const proxy = await startProxy(
    t,
    {
      example: 'deploy/cluster/haproxy.cfg',
      substitutions: (places) => [[/bind :8080/, `bind 127.0.0.1:${places.port}`], ...substitutionsOf(ports)],
      command: (configFile) => [haproxy, '-db', '-f', configFile],
    },
    { backendPort: 0, openssl: pathOf(programs, 'openssl') },
  );
  const client = createHttpClient(t, { port: proxy.port, connectionsMax: 4 });
  const flag = idOf(project.flags, 'flag');
  const headers = bearer(tokenOf(project, 'ci').secret);
  return {
    primary,
    link,
    nodes,
    evaluate: () => client.send({ path: `/v1/flags/${flag}` }),
    evaluateByOfrep: () =>
      client.send({
        method: 'POST',
        path: `/projects/${project.id}/ofrep/v1/evaluate/flags/flag`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ context: { targetingKey: 'user-42' } }),
      }),
    change: (enabled: boolean) =>
      client.send({
        method: 'PATCH',
        path: `/api/v1/flags/${flag}`,
        headers,
        body: JSON.stringify({ enabled }),
      }),
  };
}

t.test('three nodes behind HAProxy', { skip }, async (t) => {
  const { primary, link, nodes, evaluate, evaluateByOfrep, change } = await deploy(t);
  const [, second, third] = nodes;
  const thirdAdmin = await adminClientOf(t, third);
  const evaluatedByThird = async (): Promise<number> =>
    (await thirdAdmin.scrape()).sum('burgee_evaluations_total');
  await eventually(async () => (await change(true)).status === 200, 20_000, 'changes are confirmed');

  const before = await evaluatedByThird();
  await eventually(
    async () => {
      t.equal((await evaluate()).status, 200);
      return (await evaluatedByThird()) > before;
    },
    10_000,
    'all nodes get requests',
  );

  t.test('a node that is cut off gets no more requests, until it is attached again', async (t) => {
    link.cut();
    await eventually(
      async () => (await thirdAdmin.get('/ready')).status === 503,
      10_000,
      'the node says that it is not ready',
    );
    await eventually(
      async () => {
        const answers = [await evaluate(), await evaluate(), await evaluate()];
        return answers.every(({ headers }) => headers.get('burgee-state') === undefined);
      },
      10_000,
      'it leaves the rotation',
    );
    const atLeave = await evaluatedByThird();
    for (let request = 0; request < 30; request += 1) t.equal((await evaluate()).status, 200);
    t.equal(await evaluatedByThird(), atLeave);
    t.equal((await change(false)).status, 200, 'changes go on without it');
    link.mend();
    await eventually(
      async () => {
        const { text } = await evaluate();
        t.match(text, '"enabled":false');
        return (await evaluatedByThird()) > atLeave;
      },
      20_000,
      'it is back in the rotation',
    );
  });

  t.test('a node that is killed fails no request', async (t) => {
    const statuses = new Map<number, number>();
    let isOver = false;
    const load = [evaluate, evaluate, evaluateByOfrep, evaluateByOfrep].map(async (ask) => {
      while (!isOver) {
        const { status } = await ask();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const count = (): number => statuses.get(200) ?? 0;
    await eventually(async () => count() > 50, 10_000, 'requests are answered');
    second.signal('SIGKILL');
    await second.ended;
    const atKill = count();
    await eventually(async () => count() > atKill + 500, 20_000, 'requests go on');
    isOver = true;
    await Promise.all(load);
    t.same([...statuses.keys()], [200]);
    t.equal((await change(true)).status, 200, 'changes, too');
  });

  t.test('without PostgreSQL evaluations go on, and say that they may be old', async (t) => {
    await primary.stop();
    await eventually(
      async () => {
        const { status, headers } = await evaluate();
        t.equal(status, 200);
        return headers.get('burgee-state') === 'detached';
      },
      10_000,
      'all nodes are cut off',
    );
    for (let request = 0; request < 30; request += 1) t.equal((await evaluate()).status, 200);
    t.equal((await change(false)).status, 503);
    await primary.start();
    await eventually(async () => (await change(false)).status === 200, 20_000, 'changes are taken again');
  });
});
