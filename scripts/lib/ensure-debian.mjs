import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of Debian that tests and campaigns use, each with the packages that contain it. */
const packagesOf = new Map([
  ['apache2', ['apache2']],
  ['buildah', ['buildah']],
  ['caddy', ['caddy']],
  ['cc', ['gcc', 'libc6-dev']],
  ['chromium', ['chromium']],
  ['chromium-headless-shell', ['chromium-headless-shell']],
  ['curl', ['curl']],
  ['debootstrap', ['debootstrap']],
  ['haproxy', ['haproxy']],
  ['jq', ['jq']],
  ['lighttpd', ['lighttpd']],
  ['nginx', ['nginx']],
  ['openssl', ['openssl']],
  ['perl', ['perl-base']],
  ['pgbouncer', ['pgbouncer']],
  ['pngquant', ['pngquant']],
  ['podman', ['podman', 'netavark']],
  ['prlimit', ['util-linux']],
  ['promtool', ['prometheus']],
  ['runc', ['runc']],
  ['slowhttptest', ['slowhttptest']],
  ['strace', ['strace']],
  ['systemd-analyze', ['systemd']],
  // Varnish compiles its configuration.
  ['varnishd', ['varnish', 'gcc', 'libc6-dev']],
  ['wrk', ['wrk']],
]);

/** What does as well as a program that a distribution may lack: Debian has the headless shell since its release 12. */
const substitutes = new Map([['chromium-headless-shell', 'chromium']]);

const aptGet = '/usr/bin/apt-get';
const aptCache = '/usr/bin/apt-cache';
/** Two test files may install at the same time, and apt does not wait for all of its own locks. */
const lockFile = '/var/cache/apt/burgee-ensure-debian.lock';
/**
 * Debian starts a service when it is installed, unless this script exits with 101. No test needs a service on port 80.
 */
const startPolicy = '/usr/sbin/policy-rc.d';

/** Debian keeps servers in folders that an ordinary user's PATH lacks. */
function findProgram(command) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, command)).find(isExecutable) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns the last line that apt-get printed if it failed, otherwise null. */
function aptGetProblem(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stdout, stderr, error } = spawnSync(aptGet, args, { env, encoding: 'utf8' });
  if (status === 0) return null;
  return `apt-get ${args[0]}: ${error?.message ?? `${stdout}${stderr}`.trim().slice(-300)}`;
}

function install(packages) {
  const isPolicyOurs = !existsSync(startPolicy);
  if (isPolicyOurs) writeFileSync(startPolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const args = ['install', '--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
    return aptGetProblem(['update']) ?? aptGetProblem([...args, ...packages]);
  } finally {
    if (isPolicyOurs) rmSync(startPolicy, { force: true });
  }
}

function canInstall() {
  return process.getuid?.() === 0 && existsSync(aptGet);
}

/**
 * Runs a script of this repository under a lock that the end of its process releases.
 * @returns its exit code; null where this machine can install nothing, or has no lock.
 */
export function runLocked(script, args) {
  if (!canInstall()) return null;
  const lock = ['--exclusive', '--timeout', '600', lockFile];
  return spawnSync('flock', [...lock, process.execPath, script, ...args], { stdio: 'inherit' }).status;
}

/** Whether the lists of packages, as the last `apt-get update` left them, have what a program needs. */
function isOffered(command) {
  const words = ['show', '--no-all-versions', ...packagesOf.get(command)];
  return spawnSync(aptCache, words, { stdio: 'ignore' }).status === 0;
}

/** Whether to try a program before its substitute: not where the substitute is there, and the program cannot be had. */
function isWorthTrying(command) {
  const substitute = substitutes.get(command);
  if (substitute === undefined || findProgram(command) !== null || findProgram(substitute) === null)
    return true;
  return canInstall() && isOffered(command);
}

function ensureAll(commands) {
  const missing = commands.filter((command) => findProgram(command) === null);
  const packages = missing.flatMap((command) => packagesOf.get(command));
  const advice = `${missing.join(', ')} not found; on Debian, as root: apt-get install ${packages.join(' ')}`;
  if (missing.length > 0) {
    if (!canInstall()) return { problem: advice };
    console.error(`Installing Debian's ${packages.join(', ')} ...`);
    const failure = install(packages);
    if (failure !== null) return { problem: `${advice} (it was tried: ${failure})` };
  }
  const paths = Object.fromEntries(commands.map((command) => [command, findProgram(command)]));
  const absent = commands.filter((command) => paths[command] === null);
  return absent.length === 0 ? { paths } : { problem: `installed, but not found: ${absent.join(', ')}` };
}

/**
 * Finds programs. As root on Debian, installs the packages of missing ones. Where a program cannot be had, its substitute
 * stands in.
 *
 * @param commands names from the list above, such as `haproxy`
 * @returns the path of each program by its name, or a problem that says what to do
 */
export function ensureDebian(commands) {
  const unknown = commands.filter((command) => !packagesOf.has(command));
  if (unknown.length > 0) return { problem: `no package is known for ${unknown.join(', ')}` };
  const usual = commands.every(isWorthTrying) ? ensureAll(commands) : null;
  if (usual?.paths !== undefined || !commands.some((command) => substitutes.has(command))) return usual;
  const others = commands.map((command) => substitutes.get(command) ?? command);
  const instead = ensureAll(others);
  if (instead.paths === undefined) return usual ?? instead;
  const paths = commands.map((command, index) => [command, instead.paths[others[index]]]);
  return { paths: Object.fromEntries(paths) };
}
