// Asks a Burgee on this machine whether it can evaluate. Exits with 0 if it can, otherwise with 1 and the reason.
//
//   node deploy/health-check.mjs                  once; the address is from BURGEE_HOST and BURGEE_PORT, or else from
//                                                 the file that BURGEE_CONFIG names
//   node deploy/health-check.mjs --wait           until it can, or the process MAINPID, which systemd sets, has ended;
//                                                 it has no time limit of its own
//   node deploy/health-check.mjs http://127.0.0.1:9000
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const answerTimeoutMs = 3000;
const pauseMs = 200;

/** For a server that listens on every address, the check asks on loopback. */
function addressFrom({ BURGEE_HOST, BURGEE_PORT, BURGEE_CONFIG }) {
  const file = BURGEE_CONFIG ? readSettings(BURGEE_CONFIG) : {};
  const host = BURGEE_HOST || String(file.host ?? '');
  const port = BURGEE_PORT || (file.port ?? 8080);
  const loopback = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };
  const name = loopback[host] ?? host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** Faults in the file's content are reported by the server, not here. */
function readSettings(path) {
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
  } catch (error) {
    console.error(`The configuration file ${path} cannot be read: ${error.message}`);
    return process.exit(1);
  }
}

/** Waiting for a server that has ended would keep its process manager from restarting it. */
function hasEnded({ MAINPID }) {
  if (!MAINPID) return false;
  try {
    process.kill(Number(MAINPID), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** @returns null if the server is healthy, otherwise the fault */
async function problemOf(address) {
  try {
    const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    return answer.ok ? null : `${address}/health: ${answer.status} ${await answer.text()}`;
  } catch (error) {
    return `${address}/health: ${error.cause?.message ?? error.message}`;
  }
}

const { values, positionals } = parseArgs({ options: { wait: { type: 'boolean' } }, allowPositionals: true });
const address = positionals[0] ?? addressFrom(process.env);
let problem = await problemOf(address);
while (problem !== null && values.wait && !hasEnded(process.env)) {
  await wait(pauseMs);
  problem = await problemOf(address);
}
if (problem !== null) console.error(problem);
process.exitCode = problem === null ? 0 : 1;
