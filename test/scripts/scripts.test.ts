import { spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { finishCommand } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const scripts = join(repositoryRoot(), 'scripts');

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A module of scripts/lib, which has no types. */
async function load<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(join(scripts, 'lib', name)).href)) as Module;
}

async function readTally(output: string, end: number | string, isSkipFailure = false): Promise<Tally> {
  type Module = { tallyOf: (output: string, end: number | string, isSkipFailure: boolean) => Tally };
  return (await load<Module>('tap-tally.mjs')).tallyOf(output, end, isSkipFailure);
}

t.test('Nodes older than package.json allows are too old', async (t) => {
  const { isTooOld } = createRequire(import.meta.url)(join(scripts, 'choose-node.cjs')) as {
    isTooOld: (version: string) => boolean;
  };
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '22.20.1', '23.11.0', '24.0.0', '26.10.0'])
    t.notOk(isTooOld(version), version);
  for (const version of ['0.10.48', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])
    t.ok(isTooOld(version), version);
});

t.test('a folder whose path reads as another URL is refused with a sentence', async (t) => {
  for (const name of ['a#b', 'a?b', 'feature%2Fx', '100%', 'a b [é]']) {
    const folder = join(temporaryDirectory(t), name, 'scripts');
    await mkdir(folder, { recursive: true });
    for (const file of ['burgee.cjs', 'choose-node.cjs'])
      await copyFile(join(scripts, file), join(folder, file));
    const { code, stderr } = await finishCommand(spawn(process.execPath, [join(folder, 'burgee.cjs')]));
    t.equal(code, 1);
    t.match(
      stderr,
      name === '100%' || name.includes(' ') ? /not built yet/ : /Burgee cannot run in .*Move the folder/s,
      name,
    );
  }
});

const nested = `TAP version 14
# Subtest: one
    ok 1 - an assertion
    ok 2 - another
    1..2
ok 1 - one # time=3.1ms
# Subtest: two
    ok 1 - an assertion
    # Subtest: inner
        not ok 1 - an assertion
        1..1
    not ok 2 - inner # time=1ms
    # Subtest: also inner
        ok 1 - an assertion
        1..1
    ok 3 - also inner # time=1ms
    1..3
not ok 2 - two # time=5ms
ok 3 - not here # SKIP for a reason
# { total: 7, pass: 4, fail: 1, skip: 1 }
`;

t.test('tests are counted and not assertions; a test that contains tests counts as those', async (t) => {
  t.strictSame(await readTally(nested, 1), { passed: 2, failed: 1, skipped: 1 });
  t.strictSame(await readTally(nested, 1, true), { passed: 2, failed: 2, skipped: 0 });
  t.strictSame(await readTally('ok 1 - x\n# { total: 3, pass: 3 }\n', 0), {
    passed: 1,
    failed: 0,
    skipped: 0,
  });
});

t.test("a test file's name says its tier and how it shares the machine", async (t) => {
  const { testFile } = await load<{ testFile: (path: string) => object }>('test-files.mjs');
  t.match(testFile('a.b/c.test.js'), { name: 'a.b/c', tier: 'quick', sharing: 'together' });
  t.match(testFile('a/c.full.test.js'), { name: 'a/c', tier: 'full', sharing: 'together' });
  t.match(testFile('a/c.alone.test.js'), { name: 'a/c', tier: 'quick', sharing: 'alone' });
  t.match(testFile('a/c.full.waiting.test.js'), { name: 'a/c', tier: 'full', sharing: 'waiting' });
  t.match(testFile('a/c.interop.waiting.test.js'), { name: 'a/c', tier: 'interop', sharing: 'waiting' });
  for (const name of [
    'c.slow.test.js',
    'c.alone.full.test.js',
    'c.full.full.test.js',
    'c.full.interop.test.js',
  ])
    t.throws(() => testFile(`a/${name}`), { message: `test/a/${name}: the marks` });
});

t.test('an incomplete file, or one with a bad exit, has failed', async (t) => {
  t.match(await readTally('TAP version 14\nok 1 - x\n', 0), { failed: 1 });
  t.match(await readTally('', 'SIGSEGV'), { failed: 1 });
  t.match(await readTally('ok 1 - x # time=1ms\n# { total: 3, pass: 3 }\n', 1), { passed: 1, failed: 1 });
  t.match(await readTally('not ok 1 - x\n# { total: 1, fail: 1 }\n', 1), { passed: 0, failed: 1 });
});

t.test('what a failed file wrote names lines of its source, and no frame of tap', async (t) => {
  const { inSources } = await load<{ inSources: (output: string) => string }>('in-sources.mjs');
  const folder = temporaryDirectory(t, join(repositoryRoot(), 'dist'));
  const file = join(folder, 'failing.js');
  await writeFile(file, "import t from 'tap';\n\nt.test('fails', async (t) => t.equal(1, 2));\n");
  const child = spawn(process.execPath, [file], { cwd: repositoryRoot() });
  const { code, stdout } = await finishCommand(child);
  t.equal(code, 1);
  t.match(stdout, /fileName: dist.\S+failing.js\n\s+lineNumber: 3\n/);
  t.notMatch(stdout, /@tapjs|tap-\w+[.]cjs/);
  const { stack = '' } = new Error('made here');
  const [, line] = /scripts[.]test[.]ts:(\d+):\d+/.exec(inSources(stack)) ?? [];
  const source = await readFile(join(repositoryRoot(), 'test', 'scripts', 'scripts.test.ts'), 'utf8');
  t.match(source.split('\n')[Number(line) - 1], "new Error('made here')");
  const [place = ''] = /dist\S+:\d+:\d+/.exec(stack) ?? [];
  const [path, generated, column] = place.split(':');
  const fields = `  fileName: ${path}\n  lineNumber: ${generated}\n  columnNumber: ${column}\n`;
  t.match(inSources(fields), `  fileName: test/scripts/scripts.test.ts\n  lineNumber: ${line}\n`);
});

t.test(
  'a tag is released if it is the version, has notes and fixtures, and the names are published',
  async (t) => {
    const check = (...words: readonly string[]) =>
      finishCommand(spawn(process.execPath, [join(scripts, 'check-release.mjs'), ...words]));
    const { version } = JSON.parse(await readFile(join(repositoryRoot(), 'package.json'), 'utf8')) as {
      version: string;
    };
    const { releaseNames } = await load<{ releaseNames: { published: boolean; repository: string } }>(
      'release-names.mjs',
    );
    const own = await check(`v${version}`);
    t.equal(own.code, 0, own.stderr);
    t.match(own.stdout, `version=${version}\nserver=burgee\nclient=burgee-client\nimage=`);
    t.match((await check('--notes', `v${version}`)).stdout, '### Added\n');
    const other = await check('v99.0.0');
    t.equal(other.code, 1);
    t.match(other.stderr, `package.json has ${version}`);
    const fork = await check(`v${version}`, 'somebody/fork');
    t.equal(fork.code, 1, 'only one repository publishes');
    const published = await check(`v${version}`, releaseNames.repository);
    t.equal(published.code, releaseNames.published ? 0 : 1, published.stderr);
  },
);
