import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type SettingName, settingNames, settings } from '../../src/config/settings.ts';
import { repositoryRoot } from '../support/repository-root.ts';

/** The page of limits names every numeric setting. */

const page = readFileSync(join(repositoryRoot(), 'docs/limits.md'), 'utf8');

t.test('each numeric setting has a row, except ports', async (t) => {
  const isNumber = (name: SettingName): boolean => {
    const { schema } = settings[name];
    return 'type' in schema && schema.type === 'integer' && name !== 'port';
  };
  const numbers = settingNames.filter(isNumber);
  t.ok(numbers.length > 10);
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  t.same(
    numbers.filter((name) => !rows.some((row) => row.includes(`\`${name}\``))),
    [],
  );
});
