import t from 'tap';
import { checkStore } from '../../src/storage/check.ts';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { buildDiskShim, DiskControl, shimEnvironment, shimTools } from '../campaigns/disk/disk-shim.ts';
import { ConsoleClient } from '../console/console-client.ts';
import { password, secretIn, signInAs } from '../console/console-fixture.ts';
import { bootServer } from '../support/booted-server.ts';
import { spawnBurgee } from '../support/burgee-command.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* An installation without members offers its link at each start, even on a failing disk, and stores nothing for it. */
t.setTimeout(120_000);

const linkLine = (line: string): boolean => /\/console\/link#/.test(line);
const { skip } = debianPrograms(...shimTools);

async function linksIn(directory: string): Promise<number> {
  const reader = openStoreReader({ directory, mapBytes: 2 ** 30 });
  try {
    const [organisation] = [...reader.queries.organisations()];
    return [...reader.queries.oneTimeLinksOf(organisation?.id ?? '')].length;
  } finally {
    await reader.close();
  }
}

t.test('on every address, the link leads to this machine, and the log says what to set', async (t) => {
  const server = await bootServer(t, {
    dataDir: temporaryDirectory(t),
    spawn: (words, settings) => spawnBurgee([...words, '--host', '0.0.0.0'], settings),
  });
  await server.line((line) => line.includes(`http://127.0.0.1:${server.port}/console/link#`));
  await server.line((line) => line.includes('set BURGEE_BASE_URL'));
});

t.test('starts on a disk that refuses every write', { skip }, async (t) => {
  const dataDir = temporaryDirectory(t);
  const created = await bootServer(t, { dataDir });
  await created.stop();
  const control = new DiskControl(t);
  const library = buildDiskShim(t);
  const settings = shimEnvironment({ library, file: dataFileOf(dataDir), control });
  control.fail({ action: 'before', error: 'ENOSPC', kinds: ['write', 'sync'], passes: 0, failures: -1 });
  for (const start of ['one', 'another']) {
    const server = await bootServer(t, { dataDir, settings });
    const url = (await server.line(linkLine)).trim();
    const client = new ConsoleClient(t, { port: server.port });
    const seen = await client.send('POST', '/link', { secret: secretIn(url) });
    t.equal(seen.status, 200, `${start} start offers a link that works: ${seen.text}`);
    await server.stop();
  }
  t.equal(control.counts().failed, 0, 'a start writes nothing');

  control.heal();
  const server = await bootServer(t, { dataDir, settings });
  const secret = secretIn((await server.line(linkLine)).trim());
  const client = new ConsoleClient(t, { port: server.port });
  const owner = { secret, name: 'Ada', email: 'ada@example.test', password };
  const used = await client.send('POST', '/link/use', owner);
  t.equal(used.status, 200, used.text);
  t.equal((await client.send('POST', '/link', { secret })).status, 410, 'the link works once');
  await signInAs(t, server, owner.email);
  await server.stop();
  t.equal(await linksIn(dataDir), 0, 'no start has left a link');
  t.strictSame([...checkStore(dataDir)], []);
});

t.test('many starts leave no link behind, and no secret in a log line', async (t) => {
  const dataDir = temporaryDirectory(t);
  const secrets: string[] = [];
  for (let start = 0; start < 3; start += 1) {
    const server = await bootServer(t, { dataDir });
    const secret = secretIn((await server.line(linkLine)).trim());
    const lines = server.lines.filter((line) => line.includes(secret));
    t.strictSame(lines.length, 1, 'shown once');
    t.notOk(lines[0]?.startsWith('{'), 'and is not logged');
    server.signal('SIGKILL');
    await server.ended;
    secrets.push(secret);
  }
  t.equal(new Set(secrets).size, 3, 'each start has its own link');
  t.equal(await linksIn(dataDir), 0);
});
