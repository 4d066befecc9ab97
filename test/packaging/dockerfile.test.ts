import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { copiesOf, execForm, findAll, parseDockerfile, stageOf } from './dockerfile.ts';

/* Without a container engine, this checks the Dockerfile's text against the checkout. */
const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const stages = parseDockerfile(read('Dockerfile'));
const runtime = stageOf(stages, 'runtime');

t.test('the last stage is the one that runs, and all stages use one exact image', async (t) => {
  t.same(
    stages.map(({ name }) => name),
    ['build', 'dependencies', 'runtime'],
  );
  t.equal(new Set(stages.map(({ image }) => image)).size, 1);
  t.match(runtime.image, /^node:\d+\.\d+\.\d+-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/, 'a full version');
});

t.test('package.json allows its Node, and the HTTP server has a build for it', async (t) => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const [major, minor] = /node:(\d+)\.(\d+)/.exec(runtime.image)?.slice(1).map(Number) ?? [];
  // The last range is that of the Nodes that scripts/choose-node.cjs replaces by the pinned one.
  const ranges = [...engines.node.matchAll(/\^(\d+)\.(\d+)\.0/g)].map((range) => range.slice(1).map(Number));
  t.equal(ranges.length + 1, engines.node.split('||').length, 'every range was understood');
  t.ok(ranges.some(([ofMajor, leastMinor]) => ofMajor === major && Number(minor) >= Number(leastMinor)));
  const { builds } = createRequire(import.meta.url)(join(root, 'scripts', 'choose-node.cjs')) as {
    builds: Readonly<Record<string, { readonly version: string }>>;
  };
  t.match(runtime.image, `node:${builds['linux x64']?.version}-`, 'the pinned Node');
});

t.test('every copied path exists, or is made by the stage that it comes from', async (t) => {
  const made = {
    build: ['/app/dist/server', '/app/dist/pages.pack'],
    dependencies: ['/app/node_modules'],
  };
  const all = stages.flatMap((stage) => copiesOf(stage));
  t.ok(all.length > 8);
  for (const { from, sources } of all) {
    for (const source of sources) {
      if (from === null) t.ok(existsSync(join(root, source)), source);
      else t.ok(made[from as keyof typeof made].includes(source), `${source} of ${from}`);
    }
  }
});

t.test('the build context has exactly the copied files', async (t) => {
  const [first, ...rest] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  t.equal(first, '*', 'everything is ignored first');
  t.ok(
    rest.every((line) => line.startsWith('!')),
    'then included one by one',
  );
  const given = rest.map((line) => line.slice(1));
  const copied = stages.flatMap((stage) => copiesOf(stage)).filter(({ from }) => from === null);
  const sources = new Set(copied.flatMap((copy) => copy.sources));
  for (const source of sources) {
    t.ok(
      given.some((path) => source === path || source.startsWith(`${path}/`)),
      `${source} is in the build context`,
    );
  }
  for (const path of given) t.ok(sources.has(path), `${path} is copied`);
});

t.test('the stage that runs has no development dependencies, and runs as an ordinary user', async (t) => {
  const install = findAll(stageOf(stages, 'dependencies'), 'RUN').map(execForm);
  t.same(install, [['npm', 'ci', '--omit=dev', '--workspaces=false', '--loglevel=error']]);
  t.notMatch(findAll(runtime, 'RUN').join('\n'), /npm/);
  t.same(findAll(runtime, 'USER'), ['1000:1000']);
  const afterUser = runtime.instructions.slice(runtime.instructions.findIndex(({ name }) => name === 'USER'));
  t.notOk(afterUser.some(({ name }) => name === 'RUN' || name === 'COPY'));
});

t.test('it keeps data in one volume, stops on SIGTERM, and has a health check', async (t) => {
  t.same(findAll(runtime, 'VOLUME').map(execForm), [['/data']]);
  t.same(findAll(runtime, 'STOPSIGNAL'), ['SIGTERM']);
  t.same(findAll(runtime, 'HEALTHCHECK').map(execForm), [['node', '/app/deploy/health-check.mjs']]);
  t.match(
    findAll(runtime, 'ENV').join(' '),
    /BURGEE_DATA_DIR=\/data\/\w+/,
    'it lies below the volume, so that it can be renamed',
  );
});

t.test('every command is in exec form, and nothing looks like a secret', async (t) => {
  for (const name of ['RUN', 'ENTRYPOINT', 'CMD', 'HEALTHCHECK', 'VOLUME']) {
    for (const rest of stages.flatMap((stage) => findAll(stage, name))) t.not(execForm(rest), null, rest);
  }
  t.same(
    stages.flatMap((stage) => [...findAll(stage, 'ARG'), ...findAll(stage, 'ADD')]),
    [],
  );
  t.notMatch(read('Dockerfile'), /token|password|secret|_KEY\b/i);
});
