import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that tests and campaigns use and Debian has, each with the packages that bring it. */
const packagesOf = new Map([
  ['cc', ['gcc', 'libc6-dev']],
  ['chromium', ['chromium']],
  ['debootstrap', ['debootstrap']],
  ['haproxy', ['haproxy']],
  ['nginx', ['nginx']],
  ['openssl', ['openssl']],
  ['pgbouncer', ['pgbouncer']],
  ['pngquant', ['pngquant']],
  ['prlimit', ['util-linux']],
  ['promtool', ['prometheus']],
  ['slowhttptest', ['slowhttptest']],
  ['strace', ['strace']],
  ['systemd-analyze', ['systemd']],
]);

const aptGet = '/usr/bin/apt-get';
/** Two test files may come here at once; apt waits for its own locks only in part. */
const lockFile = '/var/cache/apt/burgee-ensure-debian.lock';
/** Debian starts a service right after it is installed, unless this says 101: no test needs one on port 80. */
const startPolicy = '/usr/sbin/policy-rc.d';

/** Debian keeps servers where an ordinary user's PATH does not look. */
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

/** @returns what apt-get said last, when it failed; null otherwise. */
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
 * Runs a script of ours under a lock, which the end of its process releases.
 * @returns its exit code; null where nothing could be installed, or where there is no lock to be had.
 */
export function runLocked(script, args) {
  if (!canInstall()) return null;
  const lock = ['--exclusive', '--timeout', '600', lockFile];
  return spawnSync('flock', [...lock, process.execPath, script, ...args], { stdio: 'inherit' }).status;
}

/**
 * Finds programs, and installs Debian's packages of those that are missing where this is root on Debian.
 *
 * @param commands names such as `haproxy`, of the list above
 * @returns the path of each program by its name, or a problem that says what to do
 */
export function ensureDebian(commands) {
  const unknown = commands.filter((command) => !packagesOf.has(command));
  if (unknown.length > 0) return { problem: `no package is known for ${unknown.join(', ')}` };
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
