import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { copyDataFile } from '../../src/cli/copy-process.ts';
import { checkStore } from '../../src/storage/check.ts';
import { openStore } from '../../src/storage/store.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { creationOf, flagChangeOf, flagOf, organisationOf, projectOf } from '../storage/support/records.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee, runBurgeeOrThrow, spawnBurgee } from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(600_000);

const mapBytes = 2 ** 30;
const files = ['backup.json', 'burgee.mdb', 'store.json'];

function backup(directory: string, target: string) {
  return runBurgee(['backup', target, '--data-dir', directory]);
}

function restore(source: string, target: string, ...more: string[]) {
  return runBurgee(['restore', source, '--data-dir', target, ...more]);
}

/** A store of a few dozen megabytes, so that copying it takes a while. */
async function largeStore(directory: string): Promise<void> {
  const store = openStore({ directory, mapBytes });
  const organisation = organisationOf();
  const project = projectOf(organisation.id);
  store.write(({ apply }) => {
    apply([creationOf('organisation', organisation), creationOf('project', project)]);
    for (let number = 0; number < 6000; number += 1) {
      const cohorts = [`${number}`.repeat(1500)];
      const states = new Map([
        [0, { enabled: true, trafficPercentage: 1, cohortOverride: cohorts, audienceId: null }],
      ]);
      apply([flagChangeOf(null, flagOf(project.id, { name: `flag ${number}`, states }))]);
    }
  });
  await store.close();
}

/** A data directory with one project, and a backup of it. */
async function backedUp(t: Test) {
  const provisioned = await provisionOne(t);
  const target = join(temporaryDirectory(t), 'backup');
  const taken = JSON.parse(await runBurgeeOrThrow(['backup', target, '--data-dir', provisioned.dataDir]));
  return { ...provisioned, target, taken };
}

t.test('a backup of a running Burgee holds every change that was acknowledged before it began', async (t) => {
  const { dataDir, secret, flag } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const acknowledged = new Set<string>();
  const statuses = new Set<number>();
  let isOver = false;
  const create = async (number: number): Promise<void> => {
    const client = createHttpClient(t, { port: server.port });
    for (let turn = 0; !isOver; turn += 1) {
      const name = `client ${number}, flag ${turn}`;
      const body = JSON.stringify({ name });
      const answer = await client.send({
        method: 'POST',
        path: '/api/v1/flags',
        body,
        headers: bearer(secret),
      });
      statuses.add(answer.status);
      acknowledged.add(name);
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, (_, number) => create(number)));
  const parent = temporaryDirectory(t);
  for (let round = 1; round <= 3; round += 1) {
    const before = new Set(acknowledged);
    const target = join(parent, `backup-${round}`);
    const taken = await backup(dataDir, target);
    t.equal(taken.code, 0, taken.stderr);
    t.ok(acknowledged.size > before.size, 'changes continued meanwhile');
    t.same(readdirSync(target).sort(), files);
    t.equal(statSync(target).mode & 0o777, 0o700);
    for (const name of files) t.equal(statSync(join(target, name)).mode & 0o777, 0o600, name);
    const reader = openStoreReader({ directory: target, mapBytes });
    const names = new Set(
      Array.from(reader.queries.projects(), ({ id }) => [...reader.queries.flagsOf(id)])
        .flat()
        .map(({ name }) => name),
    );
    await reader.close();
    t.same(
      [...before].filter((name) => !names.has(name)),
      [],
      `all ${before.size} are there`,
    );
    t.same([...checkStore(target)], []);
  }
  isOver = true;
  await clients;
  t.same([...statuses], [201]);
  t.same(readdirSync(parent).sort(), ['backup-1', 'backup-2', 'backup-3'], 'nothing else is left');
  const restored = join(parent, 'restored');
  t.equal((await restore(join(parent, 'backup-3'), restored)).code, 0);
  const second = await bootServer(t, { dataDir: restored });
  const client = createHttpClient(t, { port: second.port });
  const evaluated = await client.send({ path: `/v1/flags/${flag}` });
  t.equal(evaluated.status, 200);
  t.match(JSON.parse(evaluated.text), { id: flag, enabled: false });
  await second.stop();
  await server.stop();
});

t.test('backup prints one JSON document, and progress elsewhere', async (t) => {
  const { dataDir, target } = await backedUp(t);
  const { stdout, stderr } = await backup(dataDir, `${target}-2`);
  const printed = JSON.parse(stdout);
  t.match(printed, { backup: `${target}-2`, format: 1, storeId: /^\w{20}$/, sha256: /^[0-9a-f]{64}$/ });
  t.match(printed.counts, { flags: 1, tokens: 1, projects: 1 });
  t.equal(printed.bytes, statSync(join(`${target}-2`, 'burgee.mdb')).size);
  t.match(stderr, /verified/);
});

t.test('a backup goes into a new or empty directory, and never overwrites anything', async (t) => {
  const { dataDir, target } = await backedUp(t);
  const before = readFileSync(join(target, 'burgee.mdb'));
  const again = await backup(dataDir, target);
  t.match(again, { code: 1, stderr: /is not empty\. Name a new directory/ });
  t.match(await backup(dataDir, dataDir), { code: 1, stderr: /is not empty/ });
  t.same(readFileSync(join(target, 'burgee.mdb')), before);
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, 'mine');
  t.match(await backup(dataDir, file), { code: 1, stderr: /already exists\. Name a new directory/ });
  t.equal(readFileSync(file, 'utf8'), 'mine');
  const empty = join(temporaryDirectory(t), 'empty');
  mkdirSync(empty);
  t.equal((await backup(dataDir, empty)).code, 0);
  t.same(readdirSync(empty).sort(), files);
});

t.test('without a store there is nothing to back up, and nothing is left', async (t) => {
  const parent = temporaryDirectory(t);
  const { code, stderr } = await backup(join(parent, 'missing'), join(parent, 'backup'));
  t.equal(code, 1);
  t.match(stderr, /There is no store in/);
  t.same(readdirSync(parent), []);
});

t.test('a damaged store is not backed up', async (t) => {
  const { dataDir } = await provisionOne(t);
  const path = join(dataDir, 'burgee.mdb');
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf('harbour'); at !== -1; at = bytes.indexOf('harbour', at + 1)) bytes[at] = 0x48;
  writeFileSync(path, bytes);
  const parent = temporaryDirectory(t);
  const { code, stderr } = await backup(dataDir, join(parent, 'backup'));
  t.equal(code, 3);
  t.match(stderr, /is damaged, so it was not kept/);
  t.same(readdirSync(parent), []);
});

t.test('kill -9 in the middle of a backup leaves no backup, and the next one succeeds', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  await largeStore(dataDir);
  const parent = temporaryDirectory(t);
  const target = join(parent, 'backup');
  const child = spawnBurgee(['backup', target, '--data-dir', dataDir]);
  const ended = once(child, 'close');
  await fileIn(`${target}.partial`, 'burgee.mdb');
  child.kill('SIGKILL');
  t.equal((await ended)[1], 'SIGKILL', 'the backup was under way');
  t.notOk(existsSync(target));
  const restored = join(parent, 'restored');
  for (const source of [target, `${target}.partial`]) {
    t.match(await restore(source, restored), { code: 1, stderr: /is not a backup/ });
  }
  t.notOk(existsSync(restored));
  const again = await backup(dataDir, target);
  t.equal(again.code, 0, again.stderr);
  t.same(readdirSync(parent), ['backup'], 'the leftovers are gone');
  t.equal((await restore(target, restored)).code, 0);
});

/** Resolves when the directory, which may not exist yet, has the file. */
async function fileIn(directory: string, name: string): Promise<void> {
  await appears(dirname(directory), basename(directory));
  await appears(directory, name);
}

async function appears(directory: string, name: string): Promise<void> {
  const watcher = watch(directory);
  try {
    while (!existsSync(join(directory, name))) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}

t.test('of two backups to one directory the second is refused', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  await largeStore(dataDir);
  const target = join(temporaryDirectory(t), 'backup');
  const results = await Promise.all([backup(dataDir, target), backup(dataDir, target)]);
  const codes = results.map(({ code }) => code).sort();
  t.equal(codes[0], 0);
  t.same([...checkStore(target)], []);
  t.same(
    readdirSync(target)
      .filter((name) => !name.endsWith('-lock'))
      .sort(),
    files,
  );
});

t.test('a copy that takes too long is given up with a message that says what to do', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  await largeStore(dataDir);
  const file = join(temporaryDirectory(t), 'burgee.mdb');
  const copying = copyDataFile({ directory: dataDir, file, timeLimitMs: 1, onProgress: () => undefined });
  await t.rejects(copying, /given up.*--time-limit/);
});

t.test('a damaged backup is refused, and nothing is touched', async (t) => {
  const { target, taken } = await backedUp(t);
  const manifest = join(target, 'backup.json');
  const data = join(target, 'burgee.mdb');
  const damages: Record<string, readonly [(copy: string) => void, RegExp]> = {
    'a flipped bit': [
      (copy) => {
        const bytes = readFileSync(join(copy, 'burgee.mdb'));
        bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
        writeFileSync(join(copy, 'burgee.mdb'), bytes);
      },
      /is damaged: its data file is not the one/,
    ],
    'a truncated data file': [
      (copy) => truncateSync(join(copy, 'burgee.mdb'), statSync(data).size - 4096),
      /is damaged: its data file is not the one/,
    ],
    'an empty data file': [(copy) => truncateSync(join(copy, 'burgee.mdb')), /is damaged/],
    'no data file': [(copy) => rmSync(join(copy, 'burgee.mdb')), /is damaged: .*burgee\.mdb is missing/],
    'no manifest': [(copy) => rmSync(join(copy, 'backup.json')), /is not a backup: it has no backup\.json/],
    'half a manifest': [
      (copy) => writeFileSync(join(copy, 'backup.json'), readFileSync(manifest).subarray(0, 50)),
      /backup\.json is damaged/,
    ],
    'another format': [
      (copy) =>
        writeFileSync(
          join(copy, 'backup.json'),
          readFileSync(manifest, 'utf8').replace('"format":1', '"format":9'),
        ),
      /store format 9.*reads and writes format 1 only/,
    ],
  };
  t.equal(taken.format, 1);
  for (const [name, [damage, message]] of Object.entries(damages)) {
    const parent = temporaryDirectory(t);
    const copy = join(parent, 'copy');
    cpSync(target, copy, { recursive: true });
    damage(copy);
    const { code, stderr } = await restore(copy, join(parent, 'data'));
    t.equal(code, message.source.includes('is damaged') ? 3 : 1, name);
    t.match(stderr, message, name);
    t.same(readdirSync(parent), ['copy'], `${name}: nothing is left`);
  }
});

t.test('check reports a backup that was changed, at any place', async (t) => {
  const { target } = await backedUp(t);
  const data = join(target, 'burgee.mdb');
  const check = () => runBurgee(['check', '--data-dir', target]);
  t.match(await check(), { code: 0, stdout: /is clean/ });
  const bytes = readFileSync(data);
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
  writeFileSync(data, bytes);
  t.match(await check(), {
    code: 3,
    stdout: /backup\.json: the data file is not the one that was backed up/,
  });
});

t.test('restore never replaces anything, and --force keeps the old directory', async (t) => {
  const { target, dataDir, flag } = await backedUp(t);
  const old = readFileSync(join(dataDir, 'burgee.mdb'));
  t.match(await restore(target, dataDir), { code: 1, stderr: /holds a store already.*--force/ });
  const home = join(temporaryDirectory(t), 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'letter'), 'dear');
  const foreign = await restore(target, home, '--force');
  t.match(foreign, { code: 1, stderr: /not a data directory of Burgee/ });
  t.same(readdirSync(home), ['letter']);
  t.match(await restore(target, target, '--force'), { code: 1, stderr: /is a backup itself/ });
  const forced = await restore(target, dataDir, '--force');
  t.equal(forced.code, 0, forced.stderr);
  const { movedAside } = JSON.parse(forced.stdout);
  t.match(movedAside, new RegExp(`^${dataDir}\\.before-restore-\\d{8}T\\d{9}Z$`));
  t.teardown(() => rmSync(movedAside, { recursive: true, force: true }));
  t.same(readFileSync(join(movedAside, 'burgee.mdb')), old);
  const reader = openStoreReader({ directory: dataDir, mapBytes });
  t.equal(reader.queries.flag(flag)?.name, 'flag');
  await reader.close();
});

t.test(
  'a data directory that is a symbolic link stays one, and the store stays on the disk that it leads to',
  async (t) => {
    const { target, dataDir, flag } = await backedUp(t);
    const elsewhere = join(temporaryDirectory(t), 'disk', 'store');
    cpSync(dataDir, elsewhere, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    const link = join(temporaryDirectory(t), 'data');
    symlinkSync(elsewhere, link);
    const forced = await restore(target, link, '--force');
    t.equal(forced.code, 0, forced.stderr);
    t.equal(readlinkSync(link), elsewhere);
    const { movedAside } = JSON.parse(forced.stdout);
    t.equal(dirname(movedAside), dirname(elsewhere));
    const reader = openStoreReader({ directory: link, mapBytes });
    t.equal(reader.queries.flag(flag)?.name, 'flag');
    await reader.close();

    rmSync(elsewhere, { recursive: true });
    mkdirSync(`${elsewhere}.restoring`);
    const server = await runBurgee(['serve', '--data-dir', link, '--port', '0']);
    t.match(server, { code: 1 });
    t.match(
      server.stdout + server.stderr,
      /is a symbolic link to a directory that is not there.*run it again/,
    );
    t.match(await restore(target, link), { code: 0 });
    t.same(readdirSync(elsewhere).sort(), ['burgee.mdb', 'store.json']);

    rmSync(elsewhere, { recursive: true });
    mkdirSync(elsewhere);
    t.match(await restore(target, link), { code: 0 }, 'into an empty directory behind a link');
  },
);

t.test('restore refuses a data directory in use', async (t) => {
  const { target, dataDir } = await backedUp(t);
  const server = await bootServer(t, { dataDir });
  const { code, stderr } = await restore(target, dataDir, '--force');
  t.equal(code, 1);
  t.match(stderr, new RegExp(`is in use by process ${server.pid}`));
  await server.stop();
});

t.test('serve and apply never write to a backup, and say what to do instead', async (t) => {
  const { target } = await backedUp(t);
  const before = readFileSync(join(target, 'burgee.mdb'));
  const server = await runBurgee(['serve', '--data-dir', target, '--port', '0']);
  t.equal(server.code, 1);
  t.match(server.stdout + server.stderr, /is a backup, which must not change.*burgee restore/);
  const plan = await runBurgee([
    'organisation',
    'set-plan',
    'Harbour',
    '--plan',
    'free',
    '--data-dir',
    target,
  ]);
  t.match(plan, { code: 1, stderr: /is a backup/ });
  t.same(readFileSync(join(target, 'burgee.mdb')), before);
  t.equal((await runBurgee(['check', '--data-dir', target])).code, 0, 'reading it is allowed');
  t.equal((await restore(target, `${target}-restored`)).code, 0);
});

t.test('no empty store is made where a restore was interrupted', async (t) => {
  const { target } = await backedUp(t);
  const dataDir = join(temporaryDirectory(t), 'data');
  mkdirSync(`${dataDir}.restoring`);
  const server = await runBurgee(['serve', '--data-dir', dataDir, '--port', '0']);
  t.equal(server.code, 1);
  t.match(server.stdout + server.stderr, /was interrupted\. Run the same `burgee restore` again/);
  t.equal((await restore(target, dataDir)).code, 0);
  t.notOk(existsSync(`${dataDir}.restoring`));
  const booted = await bootServer(t, { dataDir });
  await booted.stop();
});
