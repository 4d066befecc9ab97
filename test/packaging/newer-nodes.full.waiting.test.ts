import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { finishCommand, type Settings } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { unprivilegedPrefix } from './unprivileged.ts';

/*
 * Newer Nodes, for which the installed HTTP server has no build, so the pinned Node takes over. All are real Nodes from
 * npm. The tests run in copies of this checkout without a pinned Node.
 */
t.setTimeout(600_000);

interface Build {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

const root = repositoryRoot();
const { builds, takeNode } = createRequire(import.meta.url)(join(root, 'scripts', 'choose-node.cjs')) as {
  builds: Readonly<Record<string, Build>>;
  takeNode: (build: Build, folder: string) => string;
};
const pinned = builds['linux x64'];

const { newerNodes } = (await import(
  pathToFileURL(join(root, 'scripts', 'lib', 'newer-nodes.mjs')).href
)) as { newerNodes: Readonly<Record<24 | 26, Build>> };
const nodes = takeAll();

/** @returns the folder of each Node, or the reason why there is none: these tests need npm's registry. */
function takeAll(): { readonly 24: string; readonly 26: string; readonly skip: string | false } {
  const none = { 24: '', 26: '' };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { ...none, skip: 'needs Linux on x64' };
  const folder = readableDirectory(t);
  try {
    return {
      24: dirname(takeNode(newerNodes[24], folder)),
      26: dirname(takeNode(newerNodes[26], folder)),
      skip: false,
    };
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    return { ...none, skip: `npm's registry is needed: ${(error as Error).message}` };
  }
}

/** A folder for files that an ordinary user runs. */
function readableDirectory(t: Test): string {
  const directory = temporaryDirectory(t);
  chmodSync(directory, 0o755);
  return directory;
}

/**
 * A copy of the files that `npm start` needs of a built checkout, without a pinned Node. The packages are this
 * checkout's.
 */
function copyCheckout(t: Test): string {
  const copy = join(readableDirectory(t), 'burgee');
  const own = ['scripts', 'package.json', 'package-lock.json', '.npmrc', 'src/cli/demo'];
  for (const path of [...own, 'dist/server', 'dist/pages.pack', 'dist/.built'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const inAMinute = new Date(Date.now() + 60_000);
  utimesSync(join(copy, 'dist', '.built'), inAMinute, inAMinute);
  return copy;
}

/** Starts a program in a copy, with a Node first in PATH and without the variables of the npm that runs this test. */
function start(
  copy: string,
  node: string,
  [command = '', ...words]: readonly string[],
  settings: Settings = {},
): ChildProcessWithoutNullStreams {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(BURGEE_|TAP|NODE_|npm_|INIT_CWD)/.test(name),
  );
  const path = `${node}:${process.env['PATH']}`;
  return spawn(command, words, {
    cwd: copy,
    env: { ...Object.fromEntries(inherited), PATH: path, ...settings },
  });
}

t.test('a command and npm start on Node 24, then serve on Node 26', { skip: nodes.skip }, async (t) => {
  const copy = copyCheckout(t);
  const burgee = join(copy, 'scripts', 'burgee');
  const dataDir = join(temporaryDirectory(t), 'data');

  const { code, stdout, stderr } = await finishCommand(start(copy, nodes[24], [burgee, 'version']));
  t.equal(code, 0);
  t.match(stdout, new RegExp(`^burgee [^\\n]*Node v${pinned?.version}\\)\\n$`), 'only its own output');
  t.match(
    stderr,
    new RegExp(`^Taking Node.js ${pinned?.version} from npm, once[^\\n]*\\n$`),
    'said in one line',
  );

  const first = await bootServer(t, {
    dataDir,
    spawn: ([, ...options], settings) => start(copy, nodes[24], ['npm', 'start', '--', ...options], settings),
  });
  t.notMatch(first.lines.join('\n'), 'Taking', 'once');
  const path = /\/v1\/flags\/\w{20}\?[^']+/.exec(first.lines.join('\n'))?.[0] ?? 'no flag was printed';
  const evaluated = await createHttpClient(t, { port: first.port }).send({ path });
  t.equal(evaluated.status, 200);
  t.match(JSON.parse(String(evaluated.body)), { id: String, enabled: Boolean });
  first.signal('SIGTERM');
  await first.ended;

  const second = await bootServer(t, {
    dataDir,
    spawn: (words, settings) => start(copy, nodes[26], [burgee, ...words], settings),
  });
  const again = await createHttpClient(t, { port: second.port }).send({ path });
  t.same(JSON.parse(String(again.body)), JSON.parse(String(evaluated.body)));
  // The started process is the server itself: it gets the signal, and exits with 0.
  await second.stop();
});

t.test('if the pinned Node cannot be taken', { skip: nodes.skip }, async (t) => {
  const copy = copyCheckout(t);
  const version = [join(copy, 'scripts', 'burgee'), 'version'];

  t.test('without a registry it says what to do', async (t) => {
    const closed = { npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: temporaryDirectory(t) };
    for (const words of [version, ['npm', 'start'], ['npm', 'test']]) {
      const { code, stderr } = await finishCommand(start(copy, nodes[24], words, closed));
      t.equal(code, 1, words.join(' '));
      for (const part of [
        newerNodes[24].version,
        'ECONNREFUSED',
        'could not be taken from npm',
        'install Node.js 22',
      ])
        t.match(stderr, part);
    }
  });

  t.test('a build that is not the pinned one is refused', async (t) => {
    const port = await serveOtherBuild(t);
    const registry = `http://127.0.0.1:${port}`;
    const settings = { npm_config_registry: registry, npm_config_cache: temporaryDirectory(t) };
    const { code, stderr } = await finishCommand(start(copy, nodes[24], version, settings));
    t.equal(code, 1);
    t.match(stderr, 'EINTEGRITY');
  });

  t.test('a user who may not store it learns who may', async (t) => {
    rmSync(join(copy, '.node'), { recursive: true });
    mkdirSync(join(copy, '.node'), { mode: 0o555 });
    const { code, stderr } = await finishCommand(start(copy, nodes[24], [...unprivilegedPrefix, ...version]));
    t.equal(code, 1);
    t.match(stderr, `as a user who may write to ${copy}`);
  });
});

/** A registry that has another file under the name and version of the pinned build. @returns its port */
async function serveOtherBuild(t: Test): Promise<number> {
  const { name, version } = pinned as Build;
  const registry = createServer((request, response) => {
    const dist = { tarball: `http://${request.headers.host}/other.tgz` };
    const about = JSON.stringify({ name, versions: { [version]: { name, version, dist } } });
    response.end(request.url === '/other.tgz' ? 'another file' : about);
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  t.teardown(() => registry.close());
  return (registry.address() as AddressInfo).port;
}
