import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.test('the file in operations.md can be applied unchanged', async (t) => {
  const page = readFileSync(join(repositoryRoot(), 'docs/operations.md'), 'utf8');
  const example = /```json\n(\{\n {2}"organisations"[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const provisioned = await provision(temporaryDirectory(t), temporaryDirectory(t), JSON.parse(example));
  const shop = projectOf(provisioned, 'shop');
  t.same(Object.keys(shop.flags), ['checkout']);
  t.same(Object.keys(shop.audiences), ['Pro']);
  t.match(tokenOf(shop, 'ci').secret, /^burgee_[0-9A-Za-z]{49}$/);
});
