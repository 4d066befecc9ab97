import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { renderConfigurationPage } from '../../src/config/configuration-page.ts';
import { flagName } from '../../src/config/setting.ts';
import { settingNames } from '../../src/config/settings.ts';
import { repositoryRoot } from '../support/repository-root.ts';

t.test('docs/configuration.md matches the settings; `npm run build` writes it anew', async (t) => {
  const page = readFileSync(join(repositoryRoot(), 'docs', 'configuration.md'), 'utf8');
  t.equal(page, renderConfigurationPage());
});

t.test('the page names every setting once', async (t) => {
  const page = renderConfigurationPage();
  for (const name of settingNames) t.equal(page.split(`| \`${flagName(name)}\` |`).length, 2, name);
});
