import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { listeningPort } from '../../support/booted-server.ts';
import { spawnBurgee } from '../../support/burgee-command.ts';
import { expect } from '../../support/expectations.ts';
import { provisionProject } from '../campaign-project.ts';
import { getRequest, WireConnection } from '../wire-connection.ts';
import type { Misuse } from './misuse.ts';

/** The default of the drain time and what the process needs beyond it, on a busy machine. */
const endMsMax = 40_000;

/** A log that nobody reads any more delays no answer, and SIGTERM still ends the process with 0. */
export const unreadLog: Misuse = async (t, random) => {
  const { dataDir, flags, secret } = await provisionProject(t, { flags: 1 });
  const settings = { BURGEE_MANAGEMENT_RATE_LIMIT: '100000000' };
  const child = spawnBurgee(['serve', '--data-dir', dataDir, '--port', '0', '--host', '127.0.0.1'], settings);
  t.teardown(() => child.kill('SIGKILL'));
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout });
  let port = 0;
  for await (const line of lines) {
    port = listeningPort(line) ?? 0;
    if (port !== 0) break;
  }
  expect(port !== 0, 'the service listens');
  child.stdout.pause();
  const connection = await WireConnection.open(port);
  t.teardown(() => connection.destroy());
  // From less than what a pipe holds to several times as much; each request is a line.
  const requests = random.pick([50, 300, 1000, 4000]);
  for (let turn = 0; turn < requests; turn += 1) {
    const { status } = await connection.ask(getRequest(`/api/v1/flags/${flags[0]}`, secret));
    expect(status === 200, `request ${turn} beside a log that nobody reads: ${status}`);
  }
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(endMsMax) });
  child.kill('SIGTERM');
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  expect(code === 0, `after ${requests} lines that nobody read it ended with ${signal ?? code}`);
  return requests;
};
