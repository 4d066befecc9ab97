import t, { type Test } from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { assertUndelayed, describe, startLatencyProbe } from '../support/latency-probe.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject } from './lifecycle-fixture.ts';

/* A long list read of 10,000 flags delays no evaluation by more than 20 ms. */
t.setTimeout(120_000);
const flagCount = 10_000;
const delayMaxMs = 20;

t.test('reading 10,000 flags beside evaluations', async (t) => {
  const dataDir = temporaryDirectory(t);
  const flags = Array.from({ length: flagCount }, (_, index) => ({
    name: `flag ${String(index).padStart(5, '0')}`,
    cohorts: [`flag-wide-${index}`],
    environments: { eu: { enabled: index % 2 === 0, trafficPercentage: 100 }, us: { cohorts: ['x', 'y'] } },
  }));
  const document = oneProject('many', {
    environments: ['eu', 'us'],
    flags,
    tokens: [{ name: 'reader', permission: 'read' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'many');
  const server = await bootServer(t, {
    dataDir,
    settings: { ...unlimited, BURGEE_DRAIN_TIMEOUT_MS: '1000' },
  });
  const path = `/v1/flags/${project.flags['flag 00000']}?env=eu&targetingKey=probe`;
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const probe = await startLatencyProbe(t, [{ name: 'evaluation', port: server.port, request }]);
  const calm = await probe.during(async () => {}, 400);
  t.comment(`calm: ${describe(calm)}`);

  const headers = bearer(tokenOf(project, 'reader').secret);
  const lists: readonly { path: string; headers?: Record<string, string> }[] = [
    { path: `/v1/flags/project/${project.id}?env=eu&cohort=someone` },
    { path: '/api/v1/flags', headers },
    { path: '/api/v1/flags?env=eu', headers },
    { path: '/api/v1/flags?name=flag%2009999', headers },
  ];
  for (const list of lists) {
    await t.test(`GET ${list.path.replace(project.id, '{project_id}')}`, async (t) => {
      const client = createHttpClient(t, { port: server.port });
      await assertUndelayed(t, probe, calm, delayMaxMs, async () => {
        for (let count = 0; count < 5; count += 1) {
          const { status, text } = await client.send(list);
          t.equal(status, 200);
          assertWhole(t, list.path, JSON.parse(text));
        }
      });
    });
  }

  await t.test('twelve lists at once', async (t) => {
    const client = createHttpClient(t, { port: server.port, connectionsMax: 12 });
    await assertUndelayed(t, probe, calm, delayMaxMs, async () => {
      const all = Array.from({ length: 12 }, (_, index) =>
        client.send(lists[index % 3] ?? { path: '/health' }),
      );
      for (const { status } of await Promise.all(all)) t.equal(status, 200);
    });
  });

  await t.test('forty clients that ask for a list and do not read it', async (t) => {
    await assertUndelayed(t, probe, calm, delayMaxMs, async () => {
      for (let count = 0; count < 40; count += 1) {
        const connection = await openRawConnection(t, server.port);
        connection.pause();
        const [list = { path: '/health' }] = lists.slice(count % 2);
        const lines = Object.entries({ host: 'localhost', ...list.headers }).map((line) => line.join(': '));
        connection.write(`GET ${list.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      }
    });
  });
  await server.stop();
});

function assertWhole(t: Test, path: string, answer: unknown): void {
  const items = Array.isArray(answer) ? answer : (answer as { flags: unknown[] }).flags;
  const names = items.map((item) => (item as { name: string }).name);
  t.equal(names.length, path.includes('name=') ? 1 : flagCount);
  t.ok(
    names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name),
    'in the order of names',
  );
}
