import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import t from 'tap';
import { eventually } from '../expectations.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { PostgresServer, startPostgres, startStandby } from './postgres-server.ts';

const { binaries: found, skip } = findPostgres();
const binaries = found as PostgresBinaries;

async function ask<Row>(server: PostgresServer, query: string): Promise<Row[]> {
  const client = new Client(server.url());
  await client.connect();
  return await client
    .query<Row>(query)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

t.test('a server of a test answers, and is gone with its data when the test ends', { skip }, async (t) => {
  let pid = 0;
  let directory = '';
  await t.test('inner', async (t) => {
    const server = await startPostgres(t, binaries);
    ({ pid, directory } = server);
    t.same(await ask(server, 'select 1 as one'), [{ one: 1 }]);
  });
  t.notOk(existsSync(directory));
  t.notOk(existsSync(`/proc/${pid}`));
});

t.test('it keeps what was stored when it is killed with all its processes', { skip }, async (t) => {
  const server = await startPostgres(t, binaries, { isDurable: true });
  await ask(server, 'create table kept(i int)');
  await ask(server, 'insert into kept values (7)');
  await server.killHard();
  await server.start();
  t.same(await ask(server, 'select i from kept'), [{ i: 7 }]);
});

t.test('it takes another port where one is taken', { skip }, async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  t.teardown(() => holder.close());
  const server = new PostgresServer(binaries, {});
  t.teardown(() => server.remove());
  await server.fill(binaries.template);
  const { port } = holder.address() as { port: number };
  server.port = port;
  await server.start();
  t.not(server.port, port);
  t.same(await ask(server, 'select 1 as one'), [{ one: 1 }]);
});

for (const standsStill of [false, true]) {
  const state = standsStill ? 'stopped it' : 'runs it';
  t.test(
    `it ends, and its data goes, when the process of the test that ${state} is killed`,
    { skip },
    async (t) => {
      const script = fileURLToPath(new URL('./hold-postgres.js', import.meta.url));
      const holder = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = (await once(holder.stdout.setEncoding('utf8'), 'data')) as [string];
      const { pid, directory } = JSON.parse(line) as { pid: number; directory: string };
      t.ok(existsSync(`/proc/${pid}`), 'it runs');
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .map(Number);
      if (standsStill) for (const each of [pid, ...children]) process.kill(each, 'SIGSTOP');
      holder.kill('SIGKILL');
      await eventually(() => !existsSync(directory), 20_000, 'its data is gone');
      t.notOk(existsSync(`/proc/${pid}`), 'it has ended');
    },
  );
}

t.test('a standby that is promoted has all that was confirmed, and takes writes', { skip }, async (t) => {
  const primary = await startPostgres(t, binaries);
  await ask(primary, 'create table kept(i int)');
  const standby = await startStandby(t, binaries, primary, { isSynchronous: true });
  await ask(primary, 'insert into kept values (7)');
  await t.rejects(ask(standby, 'insert into kept values (8)'), /read-only transaction/);
  await primary.killHard();
  await standby.promote();
  await ask(standby, 'insert into kept values (8)');
  t.same(await ask(standby, 'select i from kept order by i'), [{ i: 7 }, { i: 8 }]);
});
