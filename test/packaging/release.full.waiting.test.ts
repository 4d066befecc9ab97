import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
    options: { readonly target: string; readonly time: number; readonly effort: number },
  ): void;
  runNpm(args: readonly string[], cwd: string): string;
}

const root = repositoryRoot();
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const release = (await import(
  pathToFileURL(join(root, 'scripts', 'lib', 'release-package.mjs')).href
)) as ReleasePackage;
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

async function checkDemo(t: Test, command: string): Promise<void> {
  const words = [process.execPath, '-e', visit, command, join(temporaryDirectory(t), 'data')];
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

/** Files of the server's package: built, and nothing that only development needs. */
function checkFiles(t: Test, folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const own = files.filter((path) => !path.startsWith('node_modules'));
  t.same(
    own.filter((path) => /[.](ts|map|cache)$|[.]test[.]|^(test|bench)[/]/.test(path)),
    [],
  );
  t.same(
    files.filter((path) => path.endsWith('.map') && !path.startsWith('node_modules')),
    [],
  );
  for (const path of own.filter((each) => /[.](c?js|json|sh|md)$/.test(each)))
    t.notMatch(
      readFileSync(join(folder, path), 'utf8'),
      root,
      `${path} names no folder of the machine that built it`,
    );
}

t.test('the npm package installs into an empty folder, and runs without a network', async (t) => {
  const [name = ''] = readdirSync(target);
  t.equal(name, `burgee-${version}.tgz`);
  const project = join(directory, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  release.runNpm(['install', join(target, name)], project);
  checkFiles(t, join(project, 'node_modules', 'burgee'));
  await checkDemo(t, join(project, 'node_modules', '.bin', 'burgee'));
});

t.test('the archive brings its Node, and runs anywhere without a network', { skip }, async (t) => {
  release.packArchive(join(directory, 'package'), 'linux-x64', { target, time: 1, effort: 0 });
  const archive = join(target, `burgee-${version}-linux-x64.tar.xz`);
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
  symlinkSync(join(folder, 'bin', 'burgee'), join(directory, 'burgee'));
  const { stdout } = await finishCommand(
    spawn(join(directory, 'burgee'), ['--version'], { env: { PATH: '/usr/bin:/bin' } }),
  );
  t.match(stdout, new RegExp(`^burgee ${version} [(]Node v22[.]`));
  await checkDemo(t, join(folder, 'bin', 'burgee'));

  const again = packServer(temporaryDirectory(t));
  const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
  const name = `burgee-${version}.tgz`;
  t.equal(hash(join(again, name)), hash(join(target, name)), 'the same bytes when packed again');
});
