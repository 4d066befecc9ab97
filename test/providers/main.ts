/*
 * npm run test:providers [-- LANGUAGE …]: installs the published OpenFeature providers of several languages and tries
 * each against a booted server. BURGEE_TEST_PROVIDERS=all makes a missing tool a failure. Exits with 1 on a failure,
 * with 2 on wrong usage.
 */
import { withLifetime } from '../support/lifetime.ts';
import { languages } from './languages.ts';
import { outcomeTable, reasonsOf } from './outcome-table.ts';
import { bootProviderService, providerSeed } from './provider-service.ts';
import { isFailure, type Outcome, runLanguage } from './run-language.ts';

const wanted = process.argv.slice(2);
const names = languages.map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
  process.exit(2);
}

const outcomes = await withLifetime(async (t) => {
  const service = await bootProviderService(t, providerSeed);
  const found: Outcome[] = [];
  for (const language of languages.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const isEachRequired = process.env['BURGEE_TEST_PROVIDERS'] === 'all';
    const note = (line: string): void => console.log(line);
    found.push(...(await runLanguage(language, service, isEachRequired, note)));
  }
  return found;
});

for (const reason of outcomes.flatMap(reasonsOf)) console.log(reason);
console.log(outcomeTable(outcomes));
const failed = outcomes.filter(isFailure).length;
const skipped = outcomes.filter(({ result }) => 'skipped' in result).length;
const passed = outcomes.length - failed - skipped;
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = failed === 0 ? 0 : 1;
