import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { claimDirectory } from '../../src/storage/lmdb/claim.ts';
import { exampleDocument } from '../operator/open-operator.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.test('a directory whose process does not answer: which process, and what to do', async (t) => {
  const dataDir = temporaryDirectory(t);
  const file = join(temporaryDirectory(t), 'file.json');
  writeFileSync(file, JSON.stringify(exampleDocument));
  const claim = claimDirectory(dataDir);
  t.teardown(() => claim.release());
  const held = await runBurgee(['apply', file, '--data-dir', dataDir]);
  t.equal(held.code, 1);
  t.match(held.stderr, new RegExp(`in use by process ${process.pid}`));
  t.match(held.stderr, /does not answer/);
});
