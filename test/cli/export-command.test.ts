import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee, runBurgeeOrThrow } from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(120_000);

t.test('export writes a file for apply to standard output, beside a server that makes changes', async (t) => {
  const { dataDir, secret, flag } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port });
  let isOver = false;
  const patching = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const body = JSON.stringify({ trafficPercentage: turn % 100 });
      const answer = await client.send({
        method: 'PATCH',
        path: `/api/v1/flags/${flag}`,
        body,
        headers: bearer(secret),
      });
      t.equal(answer.status, 200);
    }
  })();
  const text = await runBurgeeOrThrow(['export', '--data-dir', dataDir]);
  isOver = true;
  await patching;
  t.match(JSON.parse(text), {
    organisations: [
      {
        name: 'Harbour',
        projects: [{ name: 'harbour', flags: [{ name: 'flag' }], tokens: [{ name: 'ci' }] }],
      },
    ],
    personalProjects: [],
  });
  t.notMatch(text, secret);
  const file = join(temporaryDirectory(t), 'export.json');
  const printed = JSON.parse(
    await runBurgeeOrThrow(['export', '--data-dir', dataDir, '--output', file, '--json']),
  );
  t.match(printed, { output: file, flags: 1, leftOut: 0, bytes: readFileSync(file).length });
  const again = await runBurgee(['apply', file, '--data-dir', dataDir]);
  t.match(again, { code: 0, stderr: /0 created, 0 changed/ });
  await server.stop();
});

t.test('export reports what it cannot export, with exit 1', async (t) => {
  const { dataDir, secret } = await provisionOne(t);
  const missing = await runBurgee(['export', '--data-dir', `${dataDir}-missing`]);
  t.match(missing, { code: 1, stdout: '', stderr: /There is no store in/ });
  const server = await bootServer(t, { dataDir });
  const client = createHttpClient(t, { port: server.port });
  for (let turn = 1; turn <= 2; turn += 1) {
    const request = { method: 'POST', path: '/api/v1/flags', body: '{"name":"twice"}' };
    t.equal((await client.send({ ...request, headers: bearer(secret) })).status, 201);
  }
  const refused = await runBurgee(['export', '--data-dir', dataDir]);
  t.match(refused, {
    code: 1,
    stderr: /--skip-ambiguous:\n {2}- project "harbour": flag \w{20} does not answer to its name, "twice"/,
  });
  t.throws(() => JSON.parse(refused.stdout), 'a partial file cannot be mistaken for an export');
  const skipped = await runBurgee(['export', '--data-dir', dataDir, '--skip-ambiguous']);
  t.match(skipped, { code: 0, stderr: /warning: left out: project "harbour": flag \w{20} does not/ });
  t.match(JSON.parse(skipped.stdout).organisations[0].projects[0].flags, [
    { name: 'flag' },
    { name: 'twice' },
  ]);
  await server.stop();
});
