import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { finishCommand } from '../support/burgee-command.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { eventually } from '../support/expectations.ts';
import { freePort } from '../support/free-port.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { idOf, type Provisioned, projectOf, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readCompose } from './cluster-files.ts';
import { type ContainerEngine, createEngine, type Output } from './container-engine.ts';

/*
 * Builds the image and runs it: by the lines of docs/install.md, and for the tests of HTTP, of framing and of
 * conformance, which otherwise run on this checkout's Node and HTTP server.
 */
t.setTimeout(900_000);

const root = repositoryRoot();
const { skip } = findEngine();
const compressedBytesMax = 150_000_000;

function findEngine(): { readonly skip: string | false } {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { skip: 'needs Linux on x64' };
  if (process.getuid?.() !== 0) return { skip: 'podman and buildah are run as root' };
  return debianPrograms('podman', 'buildah', 'runc', 'debootstrap');
}

/** Tests of a booted server: each of their servers is a container. */
const booted = [
  'robustness/http-server-builds.full.waiting',
  'robustness/unended-requests.full.waiting',
  'robustness/refused-bodies.full.waiting',
  'conformance/conformance',
  'robustness/requests-at-once.full.waiting',
  'robustness/tiny-chunks.full.waiting',
  'robustness/bad-input.full.alone',
  'campaigns/framing.full',
];
/** Tests that serve in their own process: it runs in the image. */
const inProcess = ['http/exchange', 'http/handing-over', 'http/pipelining-guard'];

const acme = { name: 'Acme', plan: 'enterprise' };
const shopOnly = { name: 'shop' };
const chosenToken = { name: 'chosen', permission: 'read', secretVariable: 'CI_SECRET' };
const flags = [
  { name: 'checkout', enabled: true, trafficPercentage: 100 },
  { name: 'search', cohorts: ['ada'] },
];
const document = {
  organisations: [
    { ...acme, projects: [{ ...shopOnly, flags, tokens: [{ name: 'ci', permission: 'write' }] }] },
  ],
};

/** The service of deploy/compose.yaml as options of `docker run`. */
function optionsOfCompose(): readonly string[] {
  const { burgee } = readCompose('compose.yaml').services;
  if (burgee?.read_only !== true) throw new Error('its root is not read-only');
  const { cap_drop = [], security_opt = [], tmpfs = [], environment = {}, ports = [] } = burgee;
  const volumes = (burgee.volumes ?? []).map((volume) => volume.replace(/^data:/, 'burgee:'));
  const limits = Object.entries(burgee.ulimits ?? {}).map(([name, limit]) => `${name}=${limit}:${limit}`);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [
    '--read-only',
    ...cap_drop.flatMap((name) => ['--cap-drop', name]),
    ...security_opt.flatMap((name) => ['--security-opt', name]),
    ...tmpfs.flatMap((place) => ['--tmpfs', place]),
    ...variables.flatMap((variable) => ['--env', variable]),
    ...ports.flatMap((port) => ['--publish', port]),
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...limits.flatMap((limit) => ['--ulimit', limit]),
  ];
}

/** The commands of the page's block, one after the other. */
function linesOfPage(): readonly string[] {
  const page = readFileSync(join(root, 'docs', 'install.md'), 'utf8');
  const [, block = ''] = /```bash\n(docker build[\s\S]*?)```/.exec(page) ?? [];
  return block.replaceAll('\\\n', ' ').split('\n').filter(Boolean);
}

t.test('the image', { skip }, async (t) => {
  const port = await freePort();
  const engine = await createEngine(t, port);
  const folder = temporaryDirectory(t);
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(document));
  const [build = '', apply = '', start = '', ...further] = linesOfPage();
  const paste = (line: string): Output => {
    const here = line.replaceAll('8080', String(port)).replace('nofile=65536:65536', 'nofile=4096:4096');
    const env = { ...process.env, PATH: `${engine.folder}:${process.env['PATH']}` };
    const output = spawnSync('bash', ['-ec', here], { cwd: folder, env, encoding: 'utf8' });
    t.equal(output.status, 0, `${line}\n${output.stderr.slice(-2000)}`);
    return output;
  };

  t.match(build, 'docker build');
  const builtAt = performance.now();
  paste(build);
  t.comment(`built in ${secondsSince(builtAt)} s`);

  t.test('its files are those of a build outside of it, for its platform alone', async (t) => {
    await compareFiles(t, engine);
    engine.save(join(folder, 'image'), 1);
    const { size } = statSync(join(folder, 'image.tar.gz'));
    t.comment(`${(size / 1e6).toFixed(1)} MB compressed`);
    t.ok(size < compressedBytesMax, `${size} bytes`);
    const unpack = ['-xzf', 'image.tar.gz', '--wildcards', '*.json'];
    t.equal(spawnSync('tar', unpack, { cwd: folder }).status, 0);
    const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const [{ Config: config = '' }] = read('manifest.json') as [{ readonly Config?: string }];
    t.match(read(config), {
      architecture: 'amd64',
      config: { User: '1000:1000', StopSignal: 'SIGTERM', Healthcheck: { Retries: 3 } },
    });
  });

  t.test('the lines of the page provision it, start it and ask it', async (t) => {
    const applied = JSON.parse(paste(apply).stdout) as Provisioned;
    const shop = projectOf(applied, 'shop');
    const [flag, secret] = [idOf(shop.flags, 'checkout'), tokenOf(shop, 'ci').secret];
    const client = createHttpClient(t, { port });
    const evaluate = () => client.send({ path: `/v1/flags/${flag}` }).catch(() => null);
    const list = async () => (await client.send({ path: '/api/v1/flags', headers: bearer(secret) })).text;

    const startedAt = performance.now();
    paste(start);
    await eventually(async () => (await evaluate())?.status === 200, 60_000, 'it serves');
    t.comment(`${secondsSince(startedAt)} s from podman run to the first evaluation`);
    t.match(JSON.parse((await evaluate())?.text ?? ''), { enabled: true });
    for (const line of further) paste(line);
    // By another container of the same volume: the server that has it open makes the changes.
    t.match(JSON.parse(paste(apply).stdout), { projects: { shop: { flags: { checkout: flag } } } });

    t.equal(engine.podman('healthcheck', 'run', 'burgee').status, 0, 'the health check passes');
    const status = engine.podman('exec', 'burgee', 'cat', '/proc/1/status').stdout;
    t.match(status, /^Uid:\t1000\t1000/m);
    t.match(status, /^CapEff:\t0{16}$/m);
    t.match(status, /^NoNewPrivs:\t1$/m);
    t.not(engine.podman('exec', 'burgee', 'touch', '/app/probe').status, 0, 'its root is read-only');

    await stopUnderLoad(t, engine, port, { flag, secret });
    t.equal(engine.podman('start', 'burgee').status, 0);
    await eventually(async () => (await evaluate())?.status === 200, 20_000, 'it serves again');
    const after = JSON.parse(await list()) as { readonly flags: readonly object[] };
    t.match(after, { flags: [{ name: 'checkout' }, { name: 'search', cohorts: ['ada'] }] });
    t.equal(engine.podman('rm', '--force', 'burgee').status, 0);

    paste(`docker run --detach --name composed ${optionsOfCompose().join(' ')} burgee`);
    await eventually(async () => (await evaluate())?.status === 200, 20_000, 'it serves as in compose.yaml');
    const chosen = paste('docker run --rm burgee token secret').stdout.trim();
    const file = { organisations: [{ ...acme, projects: [{ ...shopOnly, tokens: [chosenToken] }] }] };
    writeFileSync(join(folder, 'shop.json'), JSON.stringify(file));
    paste(`CI_SECRET=${chosen} docker exec --interactive --env CI_SECRET composed burgee apply - <shop.json`);
    const listed = await client.send({ path: '/api/v1/flags', headers: bearer(chosen) });
    t.equal(listed.status, 200, 'a secret that was chosen in advance');
    engine.clear();
  });

  t.test('tests of a booted server pass', async (t) => {
    const env = { ...process.env, BURGEE_TEST_PROGRAM: join(engine.folder, 'burgee') };
    await runAll(t, booted, (file) => spawn(process.execPath, [file], { cwd: root, env }));
    engine.clear();
  });

  t.test('tests of the HTTP server pass in it', async (t) => {
    const mounted = ['dist/test', 'dist/src', 'dist/node_modules', 'test'];
    const mounts = [
      ...mounted.map((path) => `${join(root, path)}:/app/${path}:ro`),
      // Node looks here for what the image's own packages lack.
      `${join(root, 'node_modules')}:/node_modules:ro`,
    ].flatMap((mount) => ['--volume', mount]);
    const options = [...mounts, '--env', 'TAP_TIMEOUT'];
    await runAll(t, inProcess, (file) => engine.run(options, ['node', file.replace(root, '/app')]));
  });
});

/** Runs compiled test files, three at a time: most of them wait. */
async function runAll(
  t: Test,
  names: readonly string[],
  start: (file: string) => ChildProcessWithoutNullStreams,
): Promise<void> {
  const waiting = [...names];
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const file = join(root, 'dist', 'test', `${name}.test.js`);
      const { code, stdout, stderr } = await finishCommand(
        start(file) as Parameters<typeof finishCommand>[0],
      );
      const failed = stdout.indexOf('not ok');
      t.equal(
        code,
        0,
        `${name}\n${failed < 0 ? '' : stdout.slice(failed, failed + 3000)}${stderr.slice(-1000)}`,
      );
      t.match(stdout, /^# \{ total: [1-9]/m, `${name} has tests`);
    }
  };
  await Promise.all([lane(), lane(), lane()]);
}

/**
 * Clients on kept connections read and change without pauses. SIGTERM: every request on them is answered, the answers
 * end the connections, and the container ends with 0, in time.
 */
async function stopUnderLoad(
  t: Test,
  engine: ContainerEngine,
  port: number,
  { flag, secret }: { readonly flag: string; readonly secret: string },
): Promise<void> {
  const read = { path: `/v1/flags/${flag}` };
  const change = (body: string) => ({
    method: 'PATCH',
    path: `/api/v1/flags/${flag}`,
    headers: bearer(secret),
    body,
  });
  const lost: string[] = [];
  let answered = 0;
  const work = async (number: number): Promise<void> => {
    // An address of its own: the limit of requests is for each address.
    const client = createHttpClient(t, { port, localAddress: `127.0.0.${2 + number}` });
    for (let turn = 0; ; turn += 1) {
      const request = number % 2 === 0 ? read : change(JSON.stringify({ cohorts: [`${number}-${turn}`] }));
      const answer = await client.send(request).catch(String);
      if (typeof answer === 'string') lost.push(answer);
      else if (answer.status !== 200) lost.push(`${answer.status} ${answer.text}`);
      if (typeof answer === 'string' || answer.headers.get('connection') === 'close') return;
      answered += 1;
    }
  };
  const working = Array.from({ length: 16 }, (_, number) => work(number));
  // A silent connection must not delay the end.
  const idle = createHttpClient(t, { port });
  await idle.send(read);
  await eventually(() => answered > 500, 20_000, 'it is busy');
  const startedAt = performance.now();
  const stopped = await finishCommand(
    spawn(join(engine.folder, 'docker'), ['stop', '--time', '20', 'burgee']),
  );
  t.equal(stopped.code, 0, stopped.stderr);
  t.ok(performance.now() - startedAt < 15_000, `stopped after ${secondsSince(startedAt)} s`);
  await Promise.all(working);
  t.same(lost, [], `${answered} requests were answered, and none was lost`);
  t.equal(engine.podman('inspect', '--format', '{{.State.ExitCode}}', 'burgee').stdout.trim(), '0');
}

/** Names of files without the hashes of their content: another Node may bundle otherwise. */
function withoutHashes(paths: readonly string[]): readonly string[] {
  return paths.map((path) => path.replace(/-[\w-]{8}(?=[.])/, '')).sort();
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath.slice(root.length + 1)}/${entry.name}`);
}

/** The list of the image's files below /app, next to what a build and an installation outside of it have. */
async function compareFiles(t: Test, engine: ContainerEngine): Promise<void> {
  const { code, stdout, stderr } = await finishCommand(engine.run([], ['find', '/app', '-type', 'f']));
  t.equal(code, 0, stderr);
  const all = stdout.split('\n').filter(Boolean);
  const files = all.map((path) => path.slice('/app/'.length));
  const isPackages = (path: string): boolean => path.startsWith('node_modules/');

  const own = files.filter((path) => !isPackages(path));
  const expected = [
    ...filesIn('dist/server'),
    ...['LICENSE', 'THIRD-PARTY-LICENSES', 'package.json', 'dist/pages.pack', 'deploy/health-check.mjs'],
    ...['scripts/burgee', 'scripts/burgee.cjs', 'scripts/choose-node.cjs'],
    'src/cli/demo/kubernetes-feature-gates.json',
  ];
  t.same(withoutHashes(own), withoutHashes(expected));

  const isOther = (path: string): boolean => /[.](node|map)$|[/]uWebSockets[.]js[/]/.test(path);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  // The innermost package: some have a folder `node_modules` of their own, in their tests.
  const isToRun = (path: string): boolean => {
    let folder = dirname(path);
    while (folder !== '.' && packages[folder] === undefined) folder = dirname(folder);
    return folder !== '.' && packages[folder]?.dev !== true;
  };
  const installed = filesIn('node_modules').filter(isToRun);
  t.same(
    files.filter((path) => isPackages(path) && !isOther(path)).sort(),
    installed.filter((path) => !isOther(path)).sort(),
  );
  t.same(files.filter((path) => isOther(path)).sort(), [
    'node_modules/@lmdb/lmdb-linux-x64/node.napi.glibc.node',
    'node_modules/@msgpackr-extract/msgpackr-extract-linux-x64/node.napi.glibc.node',
    'node_modules/@napi-rs/nice-linux-x64-gnu/nice.linux-x64-gnu.node',
    'node_modules/@node-rs/argon2-linux-x64-gnu/argon2.linux-x64-gnu.node',
    'node_modules/fs-native-extensions/prebuilds/linux-x64/fs-native-extensions.node',
    'node_modules/uWebSockets.js/ESM_wrapper.mjs',
    'node_modules/uWebSockets.js/index.d.ts',
    'node_modules/uWebSockets.js/package.json',
    'node_modules/uWebSockets.js/uws.js',
    'node_modules/uWebSockets.js/uws_linux_x64_137.node',
  ]);
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
