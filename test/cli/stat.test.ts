import { join } from 'node:path';
import t from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee, runBurgeeOrThrow } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(60_000);

t.test('stat works offline and beside a server, as a table and as JSON', async (t) => {
  const { dataDir } = await provisionOne(t);
  const server = await bootServer(t, { dataDir });
  const printed = JSON.parse(await runBurgeeOrThrow(['stat', '--data-dir', dataDir, '--json']));
  t.match(printed, { dataDir, format: 1, storeId: /^\w{20}$/, readers: { oldestLagCommits: 0 } });
  t.ok(
    printed.databases.some(
      (row: { name: string; entries: number }) => row.name === 'flags' && row.entries === 1,
    ),
  );
  // The store was provisioned at some time of this run.
  t.ok(Math.abs(Date.now() - printed.lastChangeAt) < 60 * 60_000);
  t.equal(printed.mapUsed, printed.fileBytes / printed.mapBytes);
  await server.stop();
  const text = await runBurgeeOrThrow(['stat', '--data-dir', dataDir]);
  t.match(text, new RegExp(`^store +${printed.storeId}, format 1, in ${dataDir}$`, 'm'));
  for (const line of [
    /^data file +\d+\.\d\d MiB, /m,
    /^pages +\d+ used, \d+ free/m,
    /^readers +0 with/m,
    /^flags +1 /m,
  ]) {
    t.match(text, line);
  }
});

t.test('stat of a directory without a store says so', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'missing');
  t.match(await runBurgee(['stat', '--data-dir', dataDir]), { code: 1, stderr: /There is no store in/ });
});
