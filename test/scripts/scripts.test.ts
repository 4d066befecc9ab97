import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';

const scripts = join(repositoryRoot(), 'scripts');

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

async function readTally(output: string, end: number | string): Promise<Tally> {
  const { tallyOf } = (await import(pathToFileURL(join(scripts, 'lib', 'tap-tally.mjs')).href)) as {
    tallyOf: (output: string, end: number | string) => Tally;
  };
  return tallyOf(output, end);
}

t.test('the Nodes that are too old, as package.json says', async (t) => {
  const { isTooOld } = createRequire(import.meta.url)(join(scripts, 'choose-node.cjs')) as {
    isTooOld: (version: string) => boolean;
  };
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '22.20.1', '23.11.0', '24.0.0', '26.10.0'])
    t.notOk(isTooOld(version), version);
  for (const version of ['0.10.48', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])
    t.ok(isTooOld(version), version);
});

t.test("a test file's count is tap's own", async (t) => {
  const output =
    'TAP version 14\n    # { total: 9, pass: 9 }\nok 1 - x\n# { total: 7, pass: 4, fail: 1, skip: 2 }\n';
  t.strictSame(await readTally(output, 1), { passed: 4, failed: 1, skipped: 2 });
  t.strictSame(await readTally('# { total: 3, pass: 3 }\n', 0), { passed: 3, failed: 0, skipped: 0 });
});

t.test('a file that did not come to its end, or ended badly, has failed', async (t) => {
  t.match(await readTally('TAP version 14\nok 1 - x\n', 0), { failed: 1 });
  t.match(await readTally('', 'SIGSEGV'), { failed: 1 });
  t.match(await readTally('# { total: 3, pass: 3 }\n', 1), { passed: 3, failed: 1 });
});
