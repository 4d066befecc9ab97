/**
 * Runs PostgreSQL on a temporary data directory. Arguments: the folder of its programs; the name of its superuser; the folder
 * that the directory is made in; and a port of 127.0.0.1. Without a port it is reached by a Unix socket alone, and only by this
 * user and root.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announce, endWithParent } from './end-with-parent.mjs';

const [programs, superuser = 'burgee', parent = tmpdir(), port] = process.argv.slice(2);
const readyWithinMs = 30_000;
const stoppedWithinMs = 10_000;
const directory = mkdtempSync(join(parent, 'burgee-pg-'));
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
  ['listen_addresses', port === undefined ? '' : '127.0.0.1'],
  ...(port === undefined ? [] : [['port', port]]),
  ['unix_socket_directories', directory],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

function makeDatabase() {
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) for (const path of [directory, data]) chownSync(path, user.uid, user.gid);
  const args = ['-D', data, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
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
  const socket = join(directory, `.s.PGSQL.${port ?? 5432}`);
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
