import t from 'tap';
import { isInstalled, missingTools } from './install.ts';
import type { Language } from './language.ts';
import { languages } from './languages.ts';
import { outcomeTable, reasonsOf } from './outcome-table.ts';
import { bootProviderService, providerSeed } from './provider-service.ts';
import { runLanguage } from './run-language.ts';

/*
 * The published providers for Node, as `npm run test:providers` tries them. The other languages are tried where they are
 * installed already, because installing them takes longer. BURGEE_TEST_PROVIDERS=all tries, and requires, each.
 */
t.setTimeout(900_000);
const isEachRequired = process.env['BURGEE_TEST_PROVIDERS'] === 'all';

/** @returns why a language is not tried; null if it is */
function reasonToLeaveOut(language: Language): string | null {
  if (isEachRequired) return null;
  const isLong = language.name !== 'node' && !isInstalled(language);
  return missingTools(language) ?? (isLong ? 'npm run test:providers installs and tries it' : null);
}

const service = await bootProviderService(t, providerSeed);
const left = new Map(languages.map((language) => [language, reasonToLeaveOut(language)]));
for (const [{ name }, reason] of left) if (reason !== null) t.comment(`${name} is not tried: ${reason}`);

for (const [language, reason] of left) {
  if (reason !== null) continue;
  t.test(`${language.name}: its providers answer as the Evaluation API does, and see a change`, async (t) => {
    const outcomes = await runLanguage(language, service, isEachRequired, (line) => t.comment(line));
    t.comment(outcomeTable(outcomes));
    t.strictSame(outcomes.flatMap(reasonsOf), []);
  });
}
