/**
 * Runs PostgreSQL on a temporary data directory, behind a Unix socket that only this user and root can reach. The first
 * argument is the folder of its programs.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announce, endWithParent } from './end-with-parent.mjs';

const programs = process.argv[2];
const readyWithinMs = 30_000;
const stoppedWithinMs = 10_000;
const directory = mkdtempSync(join(tmpdir(), 'burgee-pg-'));
const data = join(directory, 'data');
const remove = () => rmSync(directory, { recursive: true, force: true });

/** PostgreSQL refuses to run as root. Debian's package makes a user for it. */
function userOfDatabase() {
  if (process.getuid() !== 0) return {};
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

const user = userOfDatabase();
const settings = [
  ['listen_addresses', ''],
  ['unix_socket_directories', directory],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

function makeDatabase() {
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) for (const path of [directory, data]) chownSync(path, user.uid, user.gid);
  const args = ['-D', data, '-U', 'unleash', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), args, {
    ...user,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function startDatabase() {
  return spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
    ...user,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function untilReady() {
  const socket = join(directory, '.s.PGSQL.5432');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    log = (log + piece).slice(-4000);
  });
  for (const endsAt = Date.now() + readyWithinMs; Date.now() < endsAt; ) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}:\n${log}`);
    if (existsSync(socket) && log.includes('ready to accept connections')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`postgres was not ready within ${readyWithinMs / 1000} s:\n${log}`);
}

let child;
// However this process exits, PostgreSQL must not stay: SIGQUIT ends it at once.
process.once('exit', () => {
  child?.kill('SIGQUIT');
  remove();
});
endWithParent(async () => {
  if (child === undefined || child.exitCode !== null) return;
  const exited = once(child, 'exit');
  // SIGINT is PostgreSQL's fast shutdown, which does not wait for clients.
  child.kill('SIGINT');
  await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, stoppedWithinMs))]);
});
makeDatabase();
child = startDatabase();
await untilReady();
announce({ socketDirectory: directory });
