// Asks a Burgee on this machine whether it can evaluate. Exits with 0 when it can, and with 1, saying why, when not.
//
//   node deploy/health-check.mjs                  once; the address is that of BURGEE_HOST and BURGEE_PORT
//   node deploy/health-check.mjs --wait           until it can: whoever runs this decides how long
//   node deploy/health-check.mjs http://127.0.0.1:9000
import { isIPv6 } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const answerTimeoutMs = 3000;
const pauseMs = 200;

/** A server that listens on every address is asked on loopback. */
function addressFrom({ BURGEE_HOST: host, BURGEE_PORT: port }) {
  const loopback = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };
  const name = loopback[host ?? ''] ?? host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port || 8080}`;
}

/** @returns null when it is well, or what is wrong */
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
while (problem !== null && values.wait) {
  await wait(pauseMs);
  problem = await problemOf(address);
}
if (problem !== null) console.error(problem);
process.exitCode = problem === null ? 0 : 1;
