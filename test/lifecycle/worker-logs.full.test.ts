import t, { type Test } from 'tap';
import { SteadyLoad } from '../campaigns/steady-load.ts';
import { getRequest } from '../campaigns/wire-connection.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/* One thread writes the log of all workers: lines never interleave. The campaign `misuse` tries a log that is not read. */
t.setTimeout(120_000);

const connections = 32;

function loadOf(t: Test, port: number, flag: string, secret: string): SteadyLoad {
  return SteadyLoad.start(t, {
    port,
    connections,
    pauseMs: 0,
    requestOf: () => getRequest(`/api/v1/flags/${flag}`, secret),
    isRight: ({ status }) => status === 200,
  });
}

t.test('lines of several workers are complete, and each request has one', async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_WORKERS: '3' } });
  const load = loadOf(t, server.port, flag, secret);
  await eventually(() => load.tally.answered > 3000, 30_000, 'too few requests are answered');
  const { answered, wrong } = await load.stop();
  t.same(wrong, []);
  await server.stop();
  const lines = server.lines.filter((line) => line.includes('"requestId"'));
  const ids = new Set(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId));
  t.equal(lines.length, answered, 'each line is one line of JSON');
  t.equal(ids.size, answered);
});
