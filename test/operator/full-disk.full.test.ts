import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { buildDiskShim, shimEnvironment, shimTools } from '../campaigns/disk/disk-shim.ts';
import { makeSmallDisk, type SmallDisk } from '../campaigns/disk/small-disk.ts';
import { oneProject } from '../lifecycle/lifecycle-fixture.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { type CommandResult, runBurgee } from '../support/burgee-command.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* The operator's commands may use the disk's reserve, but a write that the disk refuses would end the server. */
const MiB = 2 ** 20;
const { skip } = debianPrograms(...shimTools);
const noRoom = /has \d+ MiB free, and this write may need up to \d+ MiB\. Nothing was applied\./;

interface Stage {
  readonly disk: SmallDisk;
  readonly server: BootedServer;
  apply(document: object): Promise<CommandResult>;
  command(...arguments_: readonly string[]): Promise<CommandResult>;
  isEvaluated(): Promise<boolean>;
}

async function setUp(t: Test): Promise<Stage> {
  const disk = makeSmallDisk(t, 128 * MiB);
  const scratch = temporaryDirectory(t);
  const dataDir = disk.directory;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const project = projectOf(await provision(dataDir, scratch, document([])), 'harbour');
  const shim = { library: buildDiskShim(t), file: dataFileOf(dataDir), control: disk.control };
  const settings = { ...unlimited, ...shimEnvironment(shim), BURGEE_STORAGE_RESERVE_BYTES: String(32 * MiB) };
  const server = await bootServer(t, { dataDir, settings });
  const client = createHttpClient(t, { port: server.port });
  const command = (...arguments_: readonly string[]) => runBurgee([...arguments_, '--data-dir', dataDir]);
  return {
    disk,
    server,
    command,
    apply(declared) {
      const file = join(scratch, 'file.json');
      writeFileSync(file, JSON.stringify(declared));
      return command('apply', file);
    },
    async isEvaluated() {
      const { status } = await client.send({
        method: 'GET',
        path: `/v1/flags/${idOf(project.flags, 'flag')}`,
      });
      return status === 200;
    },
  };
}

function document(names: readonly string[], cohorts: readonly string[] = []): object {
  const flags = names.map((name) => ({ name, cohorts }));
  return oneProject('harbour', { flags: [{ name: 'flag' }, ...flags] });
}

t.test('on a full disk the operator is refused, and evaluation continues', { skip }, async (t) => {
  const { disk, server, apply, command, isEvaluated } = await setUp(t);
  await disk.fill(0);
  for (const refused of [
    await apply(document(['second'])),
    await command('organisation', 'set-plan', 'Harbour', '--plan', 'teams'),
  ]) {
    t.equal(refused.code, 1);
    t.match(refused.stderr, noRoom);
  }
  t.equal((await apply(document([]))).code, 0, 'a command that changes nothing needs no space');
  t.equal(await isEvaluated(), true);
  disk.free();
  const { code, stderr } = await apply(document(['second']));
  t.equal(code, 0, stderr);
  t.equal(await isEvaluated(), true);
  await server.stop();
});

t.test('the operator may use the reserve, as far as it lasts', { skip }, async (t) => {
  const { disk, server, apply, command, isEvaluated } = await setUp(t);
  await disk.fill(20 * MiB);
  const small = await apply(document(['second']));
  t.equal(small.code, 0, small.stderr);
  const cohorts = Array.from({ length: 2000 }, (_, index) => `${index}`.padStart(200, 'c'));
  const names = Array.from({ length: 60 }, (_, index) => `large ${index}`);
  const large = await apply(document(names, cohorts));
  t.equal(large.code, 1);
  t.match(large.stderr, noRoom);
  t.equal(await isEvaluated(), true);
  const { stdout } = await command('export');
  t.notMatch(stdout, 'large', 'nothing of the file was applied');
  disk.free();
  await server.stop();
  t.equal((await command('check')).code, 0);
});
