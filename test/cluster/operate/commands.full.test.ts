import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bootServer, unlimited } from '../../support/booted-server.ts';
import { runBurgee } from '../../support/burgee-command.ts';
import { databaseSkip, openTestDatabase } from '../../support/postgres/test-database.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { operatedCluster, percentageOf, placeOf, setPercentage } from '../support/operator.ts';

const skip = databaseSkip();
const database = skip === false ? await openTestDatabase(t) : { url: '', freshSchema: () => '' };
t.setTimeout(240_000);
const file = t;

const flagCount = 2000;
const manyFlags = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      projects: [
        {
          name: 'many',
          flags: Array.from({ length: flagCount }, (_, index) => ({
            name: `flag-${index}`,
            enabled: index % 2 === 0,
            trafficPercentage: 100,
          })),
        },
      ],
    },
  ],
};

t.test('commands work through any node of three, and say what they do without one', { skip }, async (t) => {
  const cluster = await operatedCluster(file, t, database);
  const { directory } = cluster;
  t.equal((await cluster.burgee('cluster', 'create', '--data-dir', directory)).code, 0);
  const nodes = [await cluster.boot(directory), await cluster.boot(), await cluster.boot()] as const;
  const [first, second, third] = nodes;
  const scratch = temporaryDirectory(t);
  const flags = join(scratch, 'flags.json');
  writeFileSync(flags, JSON.stringify(manyFlags));
  const applied = await cluster.burgee('apply', flags, '--data-dir', second.dataDir);
  t.equal(applied.code, 0, applied.stderr);
  const ids = Object.values(JSON.parse(applied.stdout).projects.many.flags as Record<string, string>);
  t.equal(ids.length, flagCount);
  for (const { port } of nodes) {
    const answers = await Promise.all(
      [0, 999, 1999].map((index) => fetch(`http://127.0.0.1:${port}/v1/flags/${ids[index]}`)),
    );
    t.same(
      await Promise.all(
        answers.map(async (answer) => ((await answer.json()) as { enabled: boolean }).enabled),
      ),
      [true, false, false],
      'what was applied is everywhere when the command ends',
    );
  }
  const exports = await Promise.all(
    nodes.map(({ dataDir }) => cluster.burgee('export', '--data-dir', dataDir)),
  );
  t.equal(new Set(exports.map(({ stdout }) => stdout)).size, 1, 'any node exports the same');
  t.ok((exports[0]?.stdout.length ?? 0) > 100 * flagCount);
  t.match((await cluster.burgee('stat', '--json', '--data-dir', third.dataDir)).stdout, /"databases"/);
  t.equal((await cluster.burgee('check', '--data-dir', third.dataDir)).code, 0);
  t.equal(await setPercentage(first, cluster, 77), 200);
  const checks = nodes.map(({ dataDir }) => cluster.burgee('cluster', 'check', '--data-dir', dataDir));
  t.same(
    (await Promise.all(checks)).map(({ code }) => code),
    [0, 0, 0],
  );

  await third.stop();
  const replica = ['--data-dir', third.dataDir];
  for (const settings of [cluster.settings, unlimited]) {
    const refused = await runBurgee(['apply', flags, ...replica], settings);
    t.equal(refused.code, 1);
    t.match(refused.stderr, /replica of a cluster's node: what is changed here alone would be lost/);
  }
  const readers = ['export', 'check', 'stat'].map((command) => runBurgee([command, ...replica], unlimited));
  t.same(
    (await Promise.all(readers)).map(({ code }) => code),
    [0, 0, 0],
  );
  const nowhere = await cluster.burgee('apply', flags, '--data-dir', join(scratch, 'new'));
  t.equal(nowhere.code, 1);
  t.match(nowhere.stderr, /BURGEE_CLUSTER_URL names a cluster, and no node of it is served from/);
  const serving = await runBurgee(['serve', ...replica], unlimited);
  t.equal(serving.code, 1);
  t.match(serving.stderr + serving.stdout, /replica of a cluster's node/);

  const stopped = await placeOf(third.dataDir);
  const compacted = await cluster.burgee('compact', ...replica);
  t.equal(compacted.code, 0, compacted.stderr);
  t.same(await placeOf(third.dataDir), stopped);
  const backup = join(scratch, 'backup');
  t.equal((await cluster.burgee('backup', backup, ...replica)).code, 0);
  t.match(JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')), {
    replica: { position: stopped?.position },
  });
  const again = await cluster.boot(third.dataDir);
  t.equal(await percentageOf(again, cluster), 77);

  const restored = join(scratch, 'restored');
  t.equal((await cluster.burgee('restore', backup, '--data-dir', restored)).code, 0);
  t.equal((await runBurgee(['check', '--data-dir', restored])).code, 0);
  const single = await bootServer(t, { dataDir: restored, settings: unlimited });
  t.equal(await percentageOf(single, cluster), 77, 'a restored directory serves alone');
  rmSync(backup, { recursive: true });
});
