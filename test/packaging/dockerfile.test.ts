import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { copiesOf, execForm, findAll, parseDockerfile, stageOf } from './dockerfile.ts';

/* The Dockerfile's text against the checkout; packaging/container builds it. */
const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const stages = parseDockerfile(read('Dockerfile'));
const runtime = stageOf(stages, 'runtime');

t.test('the last stage is the one that runs, and all stages use one exact image', async (t) => {
  t.same(
    stages.map(({ name }) => name),
    ['build', 'runtime'],
  );
  t.equal(new Set(stages.map(({ image }) => image)).size, 1);
  t.match(runtime.image, /^node:\d+\.\d+\.\d+-trixie-slim(@sha256:[0-9a-f]{64})?$/, 'a full version');
});

t.test('the HTTP server is pinned by its integrity, and decision 0058 names it', async (t) => {
  const server = JSON.parse(read('deploy/http-server.json')) as { name: string; version: string };
  t.match(server, { version: /^\d+\.\d+\.\d+$/, integrity: /^sha512-[\w+/]{86}==$/ });
  t.match(
    read('docs/decisions/0058-which-node-runs-burgee.md'),
    `\`npm:${server.name}@${server.version}\`, in the container image`,
  );
});

t.test('every copied path exists, or is made by the stage that it comes from', async (t) => {
  const built = ['dist/server', 'dist/pages.pack', 'node_modules', 'package.json', 'THIRD-PARTY-LICENSES'];
  const made = built.map((path) => `/app/${path}`);
  const all = stages.flatMap((stage) => copiesOf(stage));
  t.ok(all.length > 8);
  for (const { from, sources } of all) {
    for (const source of sources) {
      if (from === null) t.ok(existsSync(join(root, source)), source);
      else t.ok(made.includes(source), `${source} of ${from}`);
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

t.test('the stage that runs installs nothing, and runs as an ordinary user', async (t) => {
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
