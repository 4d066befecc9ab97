import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { bootServer } from '../support/booted-server.ts';
import { finishCommand } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { chart, headOf, renderedFileOf, shapes } from './chart.ts';
import { type Container, type Manifest, readManifests } from './cluster-files.ts';

/*
 * The Helm chart, by what helm has made of it: test/packaging/chart. `deployment-tools` runs helm itself.
 */
const root = repositoryRoot();
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');
const rendered = (shape: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(renderedFileOf(shape), 'utf8'), { strict: true })
    .map((one) => one.toJS() as Manifest | null)
    .filter((one) => one !== null);

t.test('the chart has the version of package.json, and the names of the release', async (t) => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const about = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<string, string>;
  t.match(about, { name: 'burgee', version, appVersion: version });
  const { releaseNames } = (await import(join(root, 'scripts', 'lib', 'release-names.mjs'))) as {
    releaseNames: { published: boolean; registry: string; image: string };
  };
  const { image } = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
    image: { repository: string };
  };
  const { published, registry, image: name } = releaseNames;
  t.equal(image.repository, published ? `${registry}/${name}` : name);
});

t.test('the rendered objects are those of the present chart', async (t) => {
  for (const shape of shapes)
    t.ok(
      readFileSync(renderedFileOf(shape), 'utf8').startsWith(headOf(shape)),
      `${shape}: WRITE_FIXTURE=1 npm test -- packaging/deployment-tools`,
    );
  t.equal(
    readFileSync(join(chart, 'files', 'haproxy.cfg'), 'utf8'),
    read('deploy', 'cluster', 'haproxy.cfg'),
    'a copy: a chart cannot read files outside its folder',
  );
});

/** Drops what the chart adds to the objects of deploy/kubernetes on purpose, and the order of variables. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain) as { name?: string }[];
    const isNamed = items.every((item) => typeof item?.name === 'string');
    return isNamed ? items.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) =>
      !['app.kubernetes.io/instance', 'annotations', 'imagePullPolicy', 'initContainers', 'envFrom'].includes(
        key,
      ) && !(key === 'type' && part === 'ClusterIP'),
  );
  return Object.fromEntries(
    kept.map(([key, part]) => [
      key,
      key === 'image' ? String(part).replace(/^burgee:[\d.]+$/, 'burgee') : plain(part),
    ]),
  );
}

/** The same, without the settings and volumes that only the values of the test add. */
function specOf({ spec }: Manifest): unknown {
  const isAdded = (one: unknown): boolean =>
    /^(BURGEE_LOG_LEVEL|provision)$/.test(String((one as { name?: string }).name));
  return JSON.parse(JSON.stringify(plain(spec)), (_key, value) =>
    Array.isArray(value) ? value.filter((one) => !isAdded(one)) : value,
  );
}

const files = { single: ['single.yaml'], cluster: ['create.yaml', 'burgee.yaml'] };
for (const shape of shapes) {
  t.test(`${shape}: the chart makes the objects of deploy/kubernetes`, async (t) => {
    const made = new Map(rendered(shape).map((one) => [`${one.kind} ${one.metadata.name}`, one]));
    const expected = readManifests(...files[shape]);
    for (const one of expected) {
      const name = `${one.kind} ${one.metadata.name}`;
      const own = made.get(name);
      if (own === undefined) t.fail(`there is no ${name}`);
      else t.same(specOf(own), specOf(one), name);
      made.delete(name);
    }
    t.same([...made.keys()], shape === 'cluster' ? ['ConfigMap burgee-haproxy'] : []);
  });
}

function containerOf(shape: string, kind: string, from: 'containers' | 'initContainers'): Container {
  const pod = rendered(shape).find((one) => one.kind === kind)?.spec.template?.spec;
  const [container] = pod?.[from] ?? [];
  if (container === undefined) throw new Error(`${shape}: no ${from} of ${kind}`);
  return container;
}

t.test('a file of flags with chosen ids and secrets is applied before the server starts', async (t) => {
  const apply = containerOf('single', 'StatefulSet', 'initContainers');
  t.match(apply, { workingDir: '/provision', args: ['apply', 'flags.json'] });
  const serve = containerOf('single', 'StatefulSet', 'containers');
  t.same(serve.args, ['serve']);
  const { args, securityContext } = containerOf('cluster', 'Job', 'initContainers');
  t.same({ args, securityContext }, { args: apply.args, securityContext: apply.securityContext });

  const [provision, dataDir] = ['provision', 'data'].map((name) => join(temporaryDirectory(t), name)) as [
    string,
    string,
  ];
  const flag = 'k3VvX0aPq7Lw2ZtR9bNd';
  mkdirSync(provision);
  const secret = await burgee(t, ['token', 'secret'], provision, dataDir);
  writeFileSync(join(provision, 'ci.secret'), secret);
  const project = {
    ...{ name: 'shop', slug: 'shop', flags: [{ name: 'checkout', id: flag, enabled: true }] },
    tokens: [{ name: 'ci', permission: 'read', secretFile: 'ci.secret' }],
  };
  const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] };
  writeFileSync(join(provision, 'flags.json'), JSON.stringify(document));
  for (const start of ['first', 'second']) {
    const printed = await burgee(t, apply.args ?? [], provision, dataDir);
    t.notMatch(printed, secret.trim(), `${start} start: the log has no secret`);
  }
  const { port } = await bootServer(t, { dataDir });
  const headers = { authorization: `Bearer ${secret.trim()}` };
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/flags/${flag}`, { headers });
  t.match(await answer.json(), { id: flag, name: 'checkout', enabled: true });
});

/** Runs a command as the container would, with the image's variable of the data directory. @returns what it printed */
async function burgee(t: Test, args: readonly string[], cwd: string, dataDir: string): Promise<string> {
  const child = spawn(join(root, 'scripts', 'burgee'), args, {
    cwd,
    env: { PATH: process.env['PATH'], BURGEE_DATA_DIR: dataDir },
  });
  const { code, stdout, stderr } = await finishCommand(child);
  t.equal(code, 0, stderr);
  return stdout;
}
