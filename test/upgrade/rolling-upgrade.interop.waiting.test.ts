import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { shop } from '../cluster/support/shop.ts';
import { isOn, turn } from '../cluster/support/shop-nodes.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { finishCommand, type Settings } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { findPostgres, type PostgresBinaries } from '../support/postgres/postgres-binaries.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import { idOf, type Provisioned, projectOf, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { releasedTags } from '../support/versions.ts';

/*
 * The rolling upgrade of a cluster, as docs/upgrade.md says: from the last released version but one to the last, each built
 * from its tag. BURGEE_TEST_UPGRADE='v0.1.0 HEAD' names two other commits.
 */
t.setTimeout(1_200_000);

const [to, from] = process.env['BURGEE_TEST_UPGRADE']?.split(' ').reverse() ?? releasedTags();
const missing =
  from === undefined
    ? `it needs two tagged versions, and there is ${to ?? 'none'}: BURGEE_TEST_UPGRADE="v0.1.0 HEAD" names commits`
    : false;
const skip = missing || findPostgres().skip;
if (skip !== false) t.comment(`The rolling upgrade is not tested: ${skip}`);

/** Builds a commit in a clone. @returns its program */
function build(t: Test, commit: string): string {
  const clone = join(temporaryDirectory(t), 'burgee');
  const git = (...words: readonly string[]) => execFileSync('git', words, { stdio: 'pipe' });
  git('clone', '--quiet', repositoryRoot(), clone);
  git(
    '-C',
    clone,
    'checkout',
    '--quiet',
    '--detach',
    execFileSync('git', ['rev-parse', commit], { encoding: 'utf8' }).trim(),
  );
  execFileSync(process.execPath, [join('scripts', 'build.mjs')], { cwd: clone, stdio: 'pipe' });
  return join(clone, 'scripts', 'burgee');
}

const start = (burgee: string, words: readonly string[], settings: Settings = {}) =>
  spawn(burgee, words, { env: { PATH: process.env['PATH'], ...settings } });

t.test(
  `from ${from ?? 'a version'} to ${to ?? 'the next'}, node by node, evaluations go on`,
  { skip },
  async (t) => {
    const [older, newer] = [build(t, from as string), build(t, to as string)];
    const postgres = await startPostgres(t, findPostgres().binaries as PostgresBinaries);
    const settings = { ...unlimited, BURGEE_CLUSTER_URL: postgres.url(), BURGEE_WORKERS: '1' };
    const run = async (words: readonly string[], given: Settings): Promise<string> => {
      const { code, stdout, stderr } = await finishCommand(start(older, words, given));
      t.equal(code, 0, stderr);
      return stdout;
    };
    const directories = [1, 2, 3].map(() => join(temporaryDirectory(t), 'data'));
    const [first = ''] = directories;
    const file = join(temporaryDirectory(t), 'shop.json');
    writeFileSync(file, JSON.stringify(shop));
    const project = projectOf(
      JSON.parse(await run(['apply', file, '--data-dir', first], {})) as Provisioned,
      'shop',
    );
    const [flag, secret] = [idOf(project.flags, 'checkout'), tokenOf(project, 'ci').secret as string];
    await run(['cluster', 'create', '--data-dir', first], settings);
    const boot = (burgee: string, dataDir: string): Promise<BootedServer> =>
      bootServer(t, { dataDir, settings, spawn: (words, given) => start(burgee, words, given) });
    const nodes: BootedServer[] = [];
    for (const dataDir of directories) nodes.push(await boot(older, dataDir));
    let expected = true;
    const changeAt = async (node: BootedServer): Promise<void> => {
      expected = !expected;
      const isChanged = async () => (await turn(node, flag, secret, expected)).status === 200;
      await eventually(isChanged, 30_000, 'a node of the newest version takes changes');
    };
    await changeAt(nodes[0] as BootedServer);
    for (const [index, dataDir] of directories.entries()) {
      await (nodes[index] as BootedServer).stop();
      for (const other of nodes.filter((_node, place) => place !== index))
        t.equal(typeof (await isOn(other, flag)), 'boolean', 'the others evaluate');
      nodes[index] = await boot(newer, dataDir);
      await changeAt(nodes[index] as BootedServer);
      t.equal(await isOn(nodes[index] as BootedServer, flag), expected);
    }
    for (const node of nodes) {
      await changeAt(node);
      for (const other of nodes) t.equal(await isOn(other, flag), expected, 'no stale answer');
    }
  },
);
