import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { takeNode } from '../choose-node.cjs';
import { debianBase } from './debian-base.mjs';
import { newerNodes } from './newer-nodes.mjs';
import { root } from './root.mjs';

/** The store that keeps the Dockerfile's base. What is made of it goes into a store of its own, which reads this one. */
const kept = join(homedir(), '.cache', 'burgee', 'containers');
const optionsOfKept = ['--root', kept, '--runroot', '/run/burgee-containers'];
/** What Debian's own images leave out. They keep the licences in usr/share/doc. */
const leftOut = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/locale', 'usr/share/man'];

/** @returns options of buildah and podman for images and containers below a folder, apart from the user's own */
export function storageIn(folder) {
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  return [...places, '--storage-opt', `overlay.imagestore=${kept}`];
}

/** @returns what it printed */
function buildah(...words) {
  return execFileSync('buildah', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function succeeds(...words) {
  try {
    execFileSync('buildah', words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Node, npm and a user, as the official image has them. */
function installNode(system) {
  const local = join(system, 'usr', 'local');
  const node = takeNode(newerNodes[24], join(root, '.node'));
  cpSync(node, join(local, 'bin', 'node'));
  cpSync(join(dirname(node), '..', 'LICENSE'), join(local, 'LICENSE'));
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  cpSync(join(dirname(npm), '..'), join(local, 'lib', 'node_modules', 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'));
  appendFileSync(join(system, 'etc', 'passwd'), 'node:x:1000:1000::/home/node:/bin/bash\n');
  appendFileSync(join(system, 'etc', 'group'), 'node:x:1000:\n');
}

function makeBase(name) {
  const { version } = newerNodes[24];
  if (name !== `node:${version}-trixie-slim`)
    throw new Error(`${name} is neither in a registry nor Debian 13 with Node ${version}`);
  const container = buildah(...optionsOfKept, 'from', 'scratch');
  try {
    const system = buildah(...optionsOfKept, 'mount', container);
    execFileSync('tar', ['-xf', debianBase(), '-C', system]);
    for (const path of leftOut) {
      rmSync(join(system, path), { recursive: true });
      mkdirSync(join(system, path));
    }
    installNode(system);
    buildah(...optionsOfKept, 'commit', '--quiet', container, `docker.io/library/${name}`);
  } finally {
    buildah(...optionsOfKept, 'rm', container);
  }
}

/** Takes the Dockerfile's base from its registry. Where none is reached, makes one of the same name. Keeps it. */
function ensureBase(context) {
  const [, name] = /^FROM (\S+)/m.exec(readFileSync(join(context, 'Dockerfile'), 'utf8'));
  if (succeeds(...optionsOfKept, 'inspect', '--type=image', name)) return;
  if (succeeds(...optionsOfKept, 'pull', `docker.io/library/${name}`)) return;
  console.error(`Making ${name} of Debian's packages and Node's build, once ...`);
  makeBase(name);
}

/** The build's npm uses the registry, the certificates and the cache of this machine's. @returns options of buildah */
function npmOptions(folder) {
  const ask = (name) => execFileSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).trim();
  const certificates = process.env.NODE_EXTRA_CA_CERTS ?? '';
  const cache = ask('cache');
  mkdirSync(cache, { recursive: true });
  const mounts = [[cache, '/root/.npm:rw']];
  const lines = [`registry=${ask('registry')}`, 'prefer-offline=true'];
  if (existsSync(certificates)) {
    lines.push('cafile=/root/certificates');
    mounts.push([certificates, '/root/certificates:ro']);
  }
  writeFileSync(join(folder, 'npmrc'), lines.join('\n'));
  mounts.push([join(folder, 'npmrc'), '/root/.npmrc:ro']);
  return mounts.flatMap((mount) => ['--volume', mount.join(':')]);
}

/** @returns why no image can be built here; null if one can */
export function imageProblem() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it is built on Linux on x64';
  if (process.getuid() !== 0) return 'it is built as root';
  return succeeds('--version') ? null : 'it needs buildah';
}

/**
 * Builds the Dockerfile without a daemon. Needs buildah, and root.
 * @param context a checkout
 * @param folder of the image's store: see storageIn
 * @param tag the image's name
 */
export function buildImage(context, folder, tag) {
  ensureBase(context);
  const temporary = mkdtempSync(join(tmpdir(), 'burgee-image-'));
  try {
    // The format of OCI has no health checks.
    const options = ['--isolation', 'chroot', '--format', 'docker', '--quiet', '--tag', tag];
    buildah(...storageIn(folder), 'build', ...options, ...npmOptions(temporary), context);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/**
 * Writes an image to a file for `docker load` or `podman load`, compressed by gzip.
 * @param effort of gzip, 1 to 9
 */
export function saveImage(folder, tag, file, effort = 6) {
  buildah(...storageIn(folder), 'push', '--quiet', tag, `docker-archive:${file}.tar:${tag}`);
  execFileSync('gzip', ['-n', `-${effort}`, `${file}.tar`]);
}
