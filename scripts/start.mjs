// npm start: takes a fresh clone to a running service. Installs and builds what is missing, then runs `burgee start`,
// which makes a demo in an empty data directory and serves, and restarts the server when it dies.
//
//   npm start -- --port 9000 --data-dir /var/lib/burgee/data
import './lib/choose-node.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureBuildInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';

const main = join(root, 'dist', 'server', 'main.js');
const restartDelayMs = { first: 500, max: 30_000 };
/** A server that ran for this long was healthy: its next restart has the shortest delay again. */
const wellAfterMs = 60_000;
/** Ctrl-C reaches this process twice, from the terminal and from npm: two signals within this time count as one. */
const sameSignalMs = 500;

/**
 * npm runs this through a shell. The shell dies of a signal without passing it on, and then this process gets another
 * parent.
 */
const parentCheckMs = 250;

/** The server, as long as one runs. */
let server = null;
let stoppedAt = null;
/** Ends the wait before a restart. */
const stopping = new AbortController();

function stop(signal) {
  if (stoppedAt !== null && Date.now() - stoppedAt < sameSignalMs) return;
  if (stoppedAt !== null) server?.kill('SIGKILL');
  else server?.kill(signal);
  stoppedAt ??= Date.now();
  stopping.abort();
}

function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent && stoppedAt === null) stop('SIGTERM');
  }, parentCheckMs);
  timer.unref();
}

/**
 * Serves until the server ends. The server has a process group of its own, so that it gets Ctrl-C once, from this
 * process, and not from the terminal too.
 */
async function serve(args) {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
  server = spawn(process.execPath, [main, 'start', ...args], { cwd: root, stdio, detached: true });
  let listeningAt = null;
  server.on('message', (message) => {
    if (message.kind === 'listening') listeningAt = Date.now();
  });
  const code = await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (exitCode) => resolve(exitCode));
  });
  server = null;
  return { code, hasListened: listeningAt !== null, servedMs: Date.now() - (listeningAt ?? Date.now()) };
}

async function serveForEver(args) {
  let delayMs = restartDelayMs.first;
  for (;;) {
    const { code, hasListened, servedMs } = await serve(args);
    // A server that never listened would fail again, and has printed why.
    if (stoppedAt !== null || code === 0 || !hasListened) return code ?? 1;
    if (servedMs > wellAfterMs) delayMs = restartDelayMs.first;
    console.error(
      `The server ended (${code === null ? 'by a signal' : `exit ${code}`}); starting it again in ${delayMs} ms.`,
    );
    await wait(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    if (stoppedAt !== null) return 0;
    delayMs = Math.min(2 * delayMs, restartDelayMs.max);
  }
}

const args = process.argv.slice(2);
await ensureBuildInstalled();
await ensureBuilt();
process.on('SIGINT', () => stop('SIGINT'));
process.on('SIGTERM', () => stop('SIGTERM'));
stopWithNpm();
process.exit(await serveForEver(args));
