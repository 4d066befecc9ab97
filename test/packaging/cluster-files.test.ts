import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../src/config/load-config.ts';
import { variableName } from '../../src/config/setting.ts';
import { settingNames } from '../../src/config/settings.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { type Container, type Manifest, readCompose, readManifests } from './cluster-files.ts';
import { findAll, parseDockerfile, stageOf } from './dockerfile.ts';

/* Without a container engine, this checks the deployment files against the product and against one another. */
const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = readCompose();
const manifests = readManifests('burgee.yaml', 'create.yaml');
const image = Object.fromEntries(
  findAll(stageOf(parseDockerfile(read('Dockerfile')), 'runtime'), 'ENV')
    .flatMap((line) => line.split(' '))
    .map((pair) => pair.split('=')),
) as Record<string, string>;
const known = new Set(settingNames.map(variableName));

/** What burgee would be started with, in the image. @throws when it would not start with that */
function configOf(environment: Readonly<Record<string, string>>) {
  for (const name of Object.keys(environment)) {
    if (name.startsWith('BURGEE_') && !known.has(name)) throw new Error(`${name} is no setting`);
  }
  const loaded = loadConfig({
    flags: new Map(),
    configFile: undefined,
    environment: { ...image, ...environment },
  });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

function environmentOf({ env = [] }: Container): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value }) => [name, value ?? 'postgres://burgee:secret@db1,db2/burgee']),
  );
}

function find(kind: string, name: string): Manifest['spec'] {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found.spec;
}

function podOf(spec: Manifest['spec']) {
  if (spec.template === undefined) throw new Error('it has no pods');
  const { labels = {} } = spec.template.metadata ?? {};
  const [container] = spec.template.spec.containers as [Container];
  return { ...spec.template.spec, labels, container };
}

const proxied = [...read('deploy/cluster/haproxy.cfg').matchAll(/"\$\{(NODE_\d)\}":(\d+)(?: port (\d+))?/g)];

t.test('HAProxy asks three nodes where they answer', async (t) => {
  t.same(
    proxied.map(([, node]) => node),
    ['NODE_1', 'NODE_2', 'NODE_3', 'NODE_1', 'NODE_2', 'NODE_3'],
  );
  for (const [, , port] of proxied) t.equal(port, image['BURGEE_PORT']);
});

t.test('deploy/compose.cluster.yaml', async (t) => {
  const { services } = compose;
  const nodes = Object.keys(services).filter((name) => name.startsWith('node-'));
  t.equal(nodes.length, 3);
  const { environment = {} } = services['haproxy'] ?? {};
  t.same(Object.values(environment), nodes, 'HAProxy is given the names of the nodes');

  t.test('nodes start with these settings, and HAProxy reaches what they listen on', async (t) => {
    for (const name of [...nodes, 'create']) {
      const service = services[name];
      const config = configOf(service?.environment ?? {});
      t.equal(service?.image, 'burgee');
      t.ok(service?.read_only);
      t.same(service?.cap_drop, ['ALL']);
      t.ok(Number.parseInt(service?.stop_grace_period ?? '', 10) * 1000 > config.drainTimeoutMs);
      t.match(config.clusterUrl, /@db-1,db-2\//);
      t.ok(
        services['db-1'] !== undefined && services['db-2'] !== undefined,
        'both servers of the URL are there',
      );
      t.equal(config.adminHost, '0.0.0.0');
      t.ok(proxied.every(([, , , port]) => port === undefined || Number(port) === config.adminPort));
      t.equal(config.clusterPasswordFile, `/run/secrets/${service?.secrets?.[0]}`);
    }
    for (const name of nodes) t.same(services[name]?.volumes, [`${name}:/data`], 'a replica of its own');
  });

  t.test('the cluster is made in the data directory of the image', async (t) => {
    t.same(services['create']?.command, ['cluster', 'create', '--data-dir', image['BURGEE_DATA_DIR']]);
  });

  t.test('the trusted network is that of HAProxy', async (t) => {
    const [{ subnet }] = compose.networks.default.ipam.config as [{ subnet: string }];
    t.equal(services['node-1']?.environment?.['BURGEE_TRUSTED_PROXIES'], subnet);
  });

  t.test('every mounted file and volume is there, and the password is made by the operator', async (t) => {
    const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes);
    for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
      if (source.startsWith('./')) t.ok(existsSync(join(root, 'deploy', source)), source);
      else t.ok(source in compose.volumes, source);
    }
    const [secret = ''] = Object.values(compose.secrets).map(({ file }) => file.replace('./', 'deploy/'));
    t.match(read('.gitignore'), `/${secret}\n`);
    t.match(read('deploy/compose.cluster.yaml'), `openssl rand -hex 24 >${secret}`);
  });

  t.test('commits wait for the standby, by the name under which it connects', async (t) => {
    t.match(read('deploy/cluster/prepare-primary.sh'), "synchronous_standby_names = 'standby'");
    t.match(read('deploy/cluster/prepare-primary.sh'), "wal_keep_size = '1GB'", 'it can come back to them');
    t.match(read('deploy/cluster/start-standby.sh'), 'application_name=standby"');
    t.match(read('deploy/cluster/start-standby.sh'), 'host=db-1 ');
  });
});

t.test('deploy/kubernetes', async (t) => {
  const nodes = find('StatefulSet', 'burgee');
  const pod = podOf(nodes);
  const proxy = podOf(find('Deployment', 'burgee-haproxy'));
  const config = configOf(environmentOf(pod.container));

  t.test('nodes start with these settings', async (t) => {
    t.same(pod.container.args, ['serve']);
    t.equal(config.adminHost, '0.0.0.0');
    t.same(
      pod.container.env?.find(({ name }) => name === 'BURGEE_CLUSTER_URL')?.valueFrom?.secretKeyRef,
      { name: 'burgee-cluster', key: 'url' },
      'the password is in a secret',
    );
    t.equal(pod.enableServiceLinks, false, 'or a Service called burgee sets BURGEE_PORT');
    t.ok((pod.terminationGracePeriodSeconds ?? 0) * 1000 > config.drainTimeoutMs + 2000);
    const create = podOf(find('Job', 'burgee-create')).container;
    t.same(create.args, ['cluster', 'create', '--data-dir', image['BURGEE_DATA_DIR']]);
    t.ok(configOf(environmentOf(create)).clusterUrl);
  });

  t.test('a node is alive while it answers, and ready while it is attached', async (t) => {
    const { ports = [], startupProbe, livenessProbe, readinessProbe } = pod.container;
    const portOf = (name: string | undefined): number | undefined =>
      ports.find((port) => port.name === name)?.containerPort;
    for (const probe of [startupProbe, livenessProbe]) {
      t.equal(probe?.httpGet?.path, '/health');
      t.equal(portOf(probe?.httpGet?.port), config.port);
    }
    t.equal(readinessProbe?.httpGet?.path, '/ready');
    t.equal(portOf(readinessProbe?.httpGet?.port), config.adminPort);
  });

  t.test('replicas go with their pods, in the volume of the image', async (t) => {
    const [data] = pod.container.volumeMounts ?? [];
    t.equal(data?.mountPath, '/data');
    t.ok(pod.volumes?.find(({ name }) => name === data?.name)?.emptyDir);
  });

  t.test('HAProxy is given the names of the pods', async (t) => {
    const { container } = proxy;
    t.equal(nodes.replicas, 3);
    t.same(
      container.env?.flatMap(({ value }) => value ?? []),
      [0, 1, 2].map((pod) => `burgee-${pod}.${nodes.serviceName}.$(NAMESPACE).svc.cluster.local`),
    );
    const names = find('Service', nodes.serviceName ?? '');
    t.equal(names.clusterIP, 'None');
    t.equal(names.publishNotReadyAddresses, true, 'or a node that is cut off would have no name');
  });

  t.test('selectors select the pods that they are for', async (t) => {
    const pods = { burgee: pod.labels, 'burgee-haproxy': proxy.labels };
    for (const [name, labels] of Object.entries(pods)) {
      const budget = find('PodDisruptionBudget', name);
      t.same(budget.selector?.matchLabels, labels);
      t.equal(budget.maxUnavailable, 1);
    }
    t.same(nodes.selector?.matchLabels, pod.labels);
    t.same(find('Service', 'burgee-nodes').selector, pod.labels);
    t.same(find('Service', 'burgee').selector, proxy.labels);
    t.equal(
      find('Service', 'burgee').ports?.[0]?.targetPort,
      proxy.container.ports?.[0]?.name,
      'people reach HAProxy',
    );
  });

  t.test('every container is an ordinary user who can gain nothing', async (t) => {
    for (const { spec } of manifests.filter((one) => one.spec.template !== undefined)) {
      const { container, securityContext } = podOf(spec);
      t.match(securityContext, { runAsNonRoot: true });
      t.match(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});

t.test(
  'deploy/compose.yaml and deploy/kubernetes/single.yaml: one node keeps its data in the volume of the image',
  async (t) => {
    const single = readCompose('compose.yaml');
    const { burgee } = single.services;
    const composed = configOf(burgee?.environment ?? {});
    t.same(burgee?.volumes, ['data:/data']);
    t.ok('data' in single.volumes);
    t.same(burgee?.ports, [`127.0.0.1:${composed.port}:${composed.port}`]);
    t.match(burgee, { image: 'burgee', read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
    t.ok(Number.parseInt(burgee?.stop_grace_period ?? '', 10) * 1000 > composed.drainTimeoutMs + 2000);

    const set = readManifests('single.yaml').find(({ kind }) => kind === 'StatefulSet')?.spec;
    if (set === undefined) throw new Error('there is no StatefulSet');
    const pod = podOf(set);
    const config = configOf(environmentOf(pod.container));
    t.equal(set.replicas, 1, 'one process writes a data directory');
    t.same(
      pod.container.ports?.map(({ containerPort }) => containerPort),
      [config.port, config.adminPort],
    );
    t.equal(pod.container.volumeMounts?.find(({ mountPath }) => mountPath === '/data')?.name, 'data');
    t.equal(set.volumeClaimTemplates?.[0]?.metadata.name, 'data');
    t.equal(pod.enableServiceLinks, false, 'or a Service called burgee sets BURGEE_PORT');
    t.ok((pod.terminationGracePeriodSeconds ?? 0) * 1000 > config.drainTimeoutMs + 2000);
  },
);
