import { existsSync } from 'node:fs';
import t from 'tap';
import { makeDirectory } from '../../../bench/servers/bench-directory.ts';
import { mixedProvision } from '../../../bench/servers/flag-fixtures.ts';
import { findMixedFlag } from '../../../bench/servers/mixed-requests.ts';
import { readAnswer } from '../../../bench/servers/same-answers.ts';
import { serveDirectory } from '../../../bench/servers/start-burgee.ts';
import { startProgram } from '../../../bench/servers/start-program.ts';
import { workerArguments } from '../../../bench/servers/worker-arguments.ts';

t.test('a directory is provisioned once and served again and again', async (t) => {
  const directory = await makeDirectory(mixedProvision(20));
  const { id } = findMixedFlag(0, 20, directory.provisioned);
  for (const args of [[], workerArguments(2)]) {
    const server = await serveDirectory(directory, { args });
    t.equal((await readAnswer(server.origin, `/v1/flags/${id}`)).status, 200);
    t.ok(server.startedInMs > 0);
    await server.stop();
    await t.rejects(readAnswer(server.origin, '/health'), { code: 'ECONNREFUSED' });
  }
  directory.remove();
  t.notOk(existsSync(directory.dataDir));
});

t.test('a server that ends before it listens is an error that says why', async (t) => {
  const directory = await makeDirectory([]);
  t.teardown(directory.remove);
  await t.rejects(serveDirectory(directory, { args: ['--port', 'none'] }), {
    message: /before it listened:[\s\S]*port/,
  });
  const program = ['-e', 'console.error("no luck"); process.exit(1)'];
  await t.rejects(startProgram(program), { message: /ended before it listened:\nno luck/ });
});
