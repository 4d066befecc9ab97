import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { debianPrograms, pathOf } from '../../support/debian-programs.ts';
import { eventually } from '../../support/expectations.ts';
import { freePort } from '../../support/free-port.ts';
import { findPostgres, own, type PostgresBinaries, runAs } from '../../support/postgres/postgres-binaries.ts';
import { startPostgres } from '../../support/postgres/postgres-server.ts';
import { connectForTest } from './support/test-cluster.ts';

const { binaries, skip: noPostgres } = findPostgres();
const programs = debianPrograms('pgbouncer');
const skip = noPostgres === false ? programs.skip : noPostgres;

for (const mode of ['session', 'transaction']) {
  t.test(`through PgBouncer in ${mode} mode connecting fails, and says what to do`, { skip }, async (t) => {
    const server = await startPostgres(t, binaries as PostgresBinaries);
    const folder = mkdtempSync(join(tmpdir(), 'burgee-pgbouncer-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const settings = join(folder, 'pgbouncer.ini');
    const port = await freePort();
    writeFileSync(
      settings,
      `[databases]
postgres = host=127.0.0.1 port=${server.port} user=burgee
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = ${mode}
unix_socket_dir =
`,
    );
    for (const path of [folder, settings]) own(path);
    let said = '';
    const bouncer = spawn(pathOf(programs, 'pgbouncer'), [settings], { ...runAs, cwd: '/' });
    bouncer.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    t.teardown(async () => {
      bouncer.kill('SIGKILL');
      await once(bouncer, 'exit');
    });
    await eventually(() => /process up/.test(said), 10_000, `PgBouncer listens: ${said}`);
    const url = `postgres://burgee@127.0.0.1:${port}/postgres`;
    await t.rejects(connectForTest(t, url, 'burgee'), /connect to PostgreSQL directly, not through a pooler/);
  });
}
