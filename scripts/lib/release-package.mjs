import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { publishedFields, releaseNames } from './release-names.mjs';
import { removeUnused } from './remove-unused.mjs';
import { root } from './root.mjs';
import { renderThirdPartyLicenses } from './third-party-licenses.mjs';

const { builds, takeNode } = createRequire(import.meta.url)('../choose-node.cjs');

/** What the server's package holds, below the checkout. */
const served = [
  ...['LICENSE', 'CHANGELOG.md', 'dist/server', 'dist/pages.pack'],
  ...['scripts/burgee', 'scripts/burgee.cjs', 'scripts/choose-node.cjs', 'deploy'],
  'src/cli/demo/kubernetes-feature-gates.json',
];
/** Modules' ABI of the pinned Node, for which an archive has its native code. */
const abi = '127';
const nodes = join(root, '.node');

/** Runs a program with the pinned Node first in its PATH: the bundle that another Node makes may differ. */
export function runPinned(command, args, cwd) {
  const node = takeNode(builds[`${process.platform} ${process.arch}`], nodes);
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** @returns what npm printed */
export function runNpm(args, cwd) {
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--ignore-scripts'];
  return runPinned('npm', [...args, ...quiet], cwd);
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * Fills a folder with the server's package.
 * @param checkout that was built
 */
export function layOutPackage(checkout, folder) {
  for (const path of served) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    // V8 makes other bytes of its code cache each time. Without it a start takes about 0.1 s longer.
    const filter = (source) => !source.endsWith('.cache');
    cpSync(join(checkout, path), join(folder, path), { recursive: true, filter });
  }
  // The checkout's own README has pictures and pages that the package has not.
  renameSync(join(folder, 'deploy', 'package-readme.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), renderThirdPartyLicenses(checkout));
  const { version, description, license, type, engines, dependencies } = readManifest(checkout);
  const manifest = {
    name: releaseNames.server,
    ...{ version, description, license, type, engines, dependencies },
    bin: { burgee: 'scripts/burgee.cjs' },
    keywords: ['feature-flags', 'feature-toggles', 'openfeature', 'ofrep', 'self-hosted'],
    files: [...readdirSync(folder), 'npm-shrinkwrap.json'].sort(),
    ...publishedFields(),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // npm drops from a copy of the checkout's lockfile what this package does not depend on.
  copyFileSync(join(checkout, 'package-lock.json'), join(folder, 'package-lock.json'));
  runNpm(['install', '--package-lock-only', '--omit=dev'], folder);
  renameSync(join(folder, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'));
}

/** Packs a folder under its name. The same files give the same bytes. */
function packFolder(folder, file, { time, compress }) {
  const fixed = ['--format=ustar', '--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0'];
  const modes = ['--numeric-owner', '--mode=u+rw,go+r,go-w,a+X'];
  const target = [`--use-compress-program=${compress}`, '-cf', file, basename(folder)];
  runPinned('tar', [...fixed, ...modes, ...target], dirname(folder));
}

/** Packs the Helm chart of a checkout, as `helm package` does. */
export function packChart(checkout, { target, time }) {
  const file = `${releaseNames.server}-chart-${readManifest(checkout).version}.tgz`;
  packFolder(join(checkout, 'deploy', 'helm', 'burgee'), join(target, file), { time, compress: 'gzip -9n' });
}

/**
 * Packs an archive with the packages and the Node of one platform. Unpacked anywhere, bin/burgee runs.
 * @param folder of the server's package
 * @param platform such as `linux-x64`
 * @param options `target` is the archive's folder; `time` is that of its files, in Unix seconds; `compress` is
 *   a program
 */
export function packArchive(folder, platform, { target, time, compress = 'xz -6 -T1' }) {
  const [system, cpu] = platform.split('-');
  const name = `${releaseNames.server}-${readManifest(folder).version}-${platform}`;
  const tree = join(dirname(folder), name);
  cpSync(folder, tree, { recursive: true });
  runNpm(['ci', '--omit=dev', `--os=${system}`, `--cpu=${cpu}`, '--libc=glibc'], tree);
  removeUnused(join(tree, 'node_modules'), platform, abi);
  rmSync(join(tree, 'node_modules', '.package-lock.json'));
  mkdirSync(join(tree, 'bin'));
  const isOwn = system === process.platform && cpu === process.arch;
  const node = takeNode(builds[`${system} ${cpu}`], nodes, isOwn);
  copyFileSync(node, join(tree, 'bin', 'node'));
  copyFileSync(join(dirname(node), '..', 'LICENSE'), join(tree, 'bin', 'node-LICENSE'));
  symlinkSync('../scripts/burgee', join(tree, 'bin', 'burgee'));
  packFolder(tree, join(target, `${name}.tar.xz`), { time, compress });
  rmSync(tree, { recursive: true });
}
