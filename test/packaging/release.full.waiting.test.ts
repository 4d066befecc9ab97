import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { finishCommand } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* What `npm run release` packs, made of this checkout's build, installed and run as a user would. */
t.setTimeout(600_000);

interface ReleasePackage {
  layOutPackage(checkout: string, folder: string): void;
  packArchive(
    folder: string,
    platform: string,
    options: { readonly target: string; readonly time: number; readonly compress: string },
  ): void;
  packChart(checkout: string, options: { readonly target: string; readonly time: number }): void;
  runNpm(args: readonly string[], cwd: string): string;
}

interface Build {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

const root = repositoryRoot();
const load = (name: string): Promise<unknown> =>
  import(pathToFileURL(join(root, 'scripts', 'lib', `${name}.mjs`)).href);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const release = (await load('release-package')) as ReleasePackage;
const { newerNodes } = (await load('newer-nodes')) as { readonly newerNodes: Readonly<Record<24, Build>> };
const { debianBase } = (await load('debian-base')) as { readonly debianBase: () => string };
const { takeNode } = createRequire(import.meta.url)(join(root, 'scripts', 'choose-node.cjs')) as {
  readonly takeNode: (build: Build, folder: string) => string;
};
const isPlatform = process.platform === 'linux' && process.arch === 'x64';
const skip = isPlatform ? false : 'the archive of Linux on x64 runs there only';

/** @returns the folder with the packed server */
function packServer(directory: string): string {
  const folder = join(directory, 'package');
  const target = join(directory, 'target');
  for (const path of [folder, target]) mkdirSync(path);
  release.layOutPackage(root, folder);
  release.runNpm(['pack', '--pack-destination', target], folder);
  return target;
}

const debian = findDebian();

/** @returns the file of Debian's root, or why there is none: this needs root on Debian, and its archive of packages */
function findDebian(): { readonly base: string; readonly skip: string | false } {
  if (skip !== false) return { base: '', skip };
  try {
    return { base: debianBase(), skip: false };
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    return { base: '', skip: (error as Error).message };
  }
}

const directory = temporaryDirectory(t);
const target = packServer(directory);

/** Starts a program in a network of its own: no package, Node or page can come from elsewhere. */
const alone = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const hasAlone = spawnSync(alone[0] ?? '', [...alone.slice(1), 'true']).status === 0;

/** Runs in that network: starts the demo, asks what its text says, and stops it. */
const visit = `
const { spawn } = require('node:child_process');
const [command, dataDir] = process.argv.slice(1);
const server = spawn(command, ['--data-dir', dataDir, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
let text = '';
server.stdout.on('data', async (bytes) => {
  text += bytes;
  const port = /"port":(\\d+)/.exec(text)?.[1];
  if (port === undefined) return;
  server.stdout.removeAllListeners('data').resume();
  const flag = /[/]v1[/]flags[/]\\w{20}[?][^']+/.exec(text)[0];
  const answers = {};
  for (const path of [flag, '/console/', '/docs']) {
    const answer = await fetch('http://127.0.0.1:' + port + path);
    answers[path === flag ? 'flag' : path] = [answer.status, (await answer.text()).slice(0, 200)];
  }
  server.once('close', (code) => console.log(JSON.stringify({ code, answers })));
  server.kill();
});
`;

/**
 * @param command that starts the demo
 * @param prefix of a program and its options, which starts Node
 */
async function checkDemo(
  t: Test,
  command: string,
  prefix: readonly string[],
  dataDir: string,
): Promise<void> {
  const words = [...prefix, '-e', visit, command, dataDir];
  if (!hasAlone) t.comment('with a network: unshare or ip cannot make one here');
  const [program = '', ...rest] = hasAlone ? [...alone, ...words] : words;
  // The archive must not need a Node in PATH. The package's command does: it begins with `env node`.
  const path = [
    ...(command.endsWith('/bin/burgee') ? [] : [dirname(process.execPath)]),
    '/usr/sbin:/usr/bin:/sbin:/bin',
  ];
  const { code, stdout, stderr } = await finishCommand(
    spawn(program, rest, { env: { PATH: path.join(':') } }),
  );
  t.equal(code, 0, stderr);
  t.match(JSON.parse(stdout), {
    code: 0,
    answers: { flag: [200, /"enabled":(true|false)/], '/console/': [200, String], '/docs': [200, String] },
  });
}

/** Files of a package: built, and nothing that only development needs. */
function checkFiles(t: Test, folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const own = files.filter((path) => !path.startsWith('node_modules'));
  t.same(
    own.filter((path) =>
      /(?<![.]d)[.]ts$|[.](map|cache)$|[.]test[.]|(^|[/])(test|bench|node_modules)[/]/.test(path),
    ),
    [],
  );
  for (const path of own.filter((each) => /[.](c?js|mjs|ts|json|sh|md|ya?ml)$/.test(each))) {
    const text = readFileSync(join(folder, path), 'utf8');
    t.notMatch(text, root, `${path} names no folder of the machine that built it`);
    t.notMatch(text, /sourceMappingURL/, path);
  }
}

/** Runs the check that `npm publish` makes of a package, and what it would correct without asking. */
function checkPublish(t: Test, tarball: string): void {
  const args = ['publish', tarball, '--dry-run', '--access', 'public', '--ignore-scripts'];
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  t.equal(status, 0, stderr);
  t.match(stdout, /^[+] burgee/);
  t.notMatch(stderr, /auto-corrected|errors? corrected|npm error/);
}

t.test('the npm package installs into an empty folder, and runs without a network', async (t) => {
  const [name = ''] = readdirSync(target);
  t.equal(name, `burgee-${version}.tgz`);
  const project = join(directory, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  release.runNpm(['install', join(target, name)], project);
  const installed = join(project, 'node_modules', 'burgee');
  checkFiles(t, installed);
  const licenses = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const part of ['react 1', '@mantine/core ', 'lmdb ', 'The OpenLDAP Public License', 'uNetworking'])
    t.match(licenses, part);
  const command = join(project, 'node_modules', '.bin', 'burgee');
  await checkDemo(t, command, [process.execPath], join(temporaryDirectory(t), 'data'));

  t.test('on a Node without a build of the HTTP server, npx takes the pinned one', { skip }, async (t) => {
    const node = takeNode(newerNodes[24], temporaryDirectory(t));
    const env = { PATH: `${dirname(node)}:${process.env['PATH']}`, HOME: process.env['HOME'] };
    const { code, stdout, stderr } = await finishCommand(
      spawn('npx', ['--no-install', 'burgee', 'version'], { cwd: project, env }),
    );
    t.equal(code, 0, stderr);
    t.match(stdout, new RegExp(`^burgee ${version} [(]Node v22[.]`));
    t.match(stderr, /^Taking Node[.]js 22[.]\S+ from npm, once[^\n]*\n$/, 'said in one line');
  });
});

t.test('npm would publish both packages as they are', async (t) => {
  const client = join(root, 'dist', `burgee-client-${version}.tgz`);
  for (const tarball of [join(target, `burgee-${version}.tgz`), client]) checkPublish(t, tarball);
  const folder = temporaryDirectory(t);
  t.equal(spawnSync('tar', ['-xf', client, '-C', folder]).status, 0);
  checkFiles(t, join(folder, 'package'));
  const isPrivate = (folder: string): unknown =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private;
  t.same([root, join(directory, 'package'), join(folder, 'package')].map(isPrivate), [
    true,
    undefined,
    undefined,
  ]);
});

t.test('the chart is packed as helm reads it', async (t) => {
  const folder = temporaryDirectory(t);
  release.packChart(root, { target: folder, time: 1 });
  const { stdout } = spawnSync('tar', ['-tzf', join(folder, `burgee-chart-${version}.tgz`)], {
    encoding: 'utf8',
  });
  for (const path of ['Chart.yaml', 'values.yaml', 'templates/burgee.yaml', 'files/haproxy.cfg'])
    t.match(stdout, `burgee/${path}\n`);
});

t.test('the archive brings its Node, and runs anywhere without a network', { skip }, async (t) => {
  const pack = (to: string): string => {
    release.packArchive(join(directory, 'package'), 'linux-x64', { target: to, time: 1, compress: 'cat' });
    return join(to, `burgee-${version}-linux-x64.tar.xz`);
  };
  const archive = pack(target);
  const unpacked = join(directory, 'a folder');
  mkdirSync(unpacked);
  t.equal(spawnSync('tar', ['-xf', archive, '-C', unpacked]).status, 0);
  const folder = join(unpacked, `burgee-${version}-linux-x64`);
  checkFiles(t, folder);
  const natives = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /[.]node$/.test(path),
  );
  t.same(
    natives.filter((path) => /musl|darwin|win32|arm64|android|abi115|_1(08|15|20)[.]/.test(path)),
    [],
  );
  t.match(
    readFileSync(join(folder, 'bin', 'node-LICENSE'), 'utf8'),
    'Node.js is licensed for use as follows',
  );
  symlinkSync(join(folder, 'bin', 'burgee'), join(directory, 'burgee'));
  const { stdout } = await finishCommand(
    spawn(join(directory, 'burgee'), ['--version'], { env: { PATH: '/usr/bin:/bin' } }),
  );
  t.match(stdout, new RegExp(`^burgee ${version} [(]Node v22[.]`));
  const dataDir = join(temporaryDirectory(t), 'data');
  await checkDemo(t, join(folder, 'bin', 'burgee'), [process.execPath], dataDir);

  t.test('in a bare Debian 13', { skip: debian.skip }, async (t) => {
    const system = temporaryDirectory(t);
    for (const [file, place] of [
      [debian.base, system],
      [archive, join(system, 'opt')],
    ] as const)
      t.equal(spawnSync('tar', ['-xf', file, '-C', place]).status, 0);
    t.notOk(existsSync(join(system, 'usr', 'bin', 'node')));
    const bin = `/opt/burgee-${version}-linux-x64/bin`;
    await checkDemo(t, `${bin}/burgee`, ['chroot', system, `${bin}/node`], '/tmp/data');
  });

  t.test('and is the same bytes when packed again', async (t) => {
    const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
    const again = packServer(temporaryDirectory(t));
    const name = `burgee-${version}.tgz`;
    t.equal(hash(join(again, name)), hash(join(target, name)));
    t.equal(hash(pack(again)), hash(archive));
  });
});
