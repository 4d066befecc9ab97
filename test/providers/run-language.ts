import { install, missingTools } from './install.ts';
import type { Language, Provider } from './language.ts';
import type { ProviderService } from './provider-service.ts';
import { type Trial, tryProvider } from './try-provider.ts';

/** What became of one provider: what was seen of it, why it was skipped, or why it could not be tried. */
export interface Outcome {
  readonly language: string;
  readonly provider: Provider;
  readonly result: { readonly trial: Trial } | { readonly skipped: string } | { readonly failed: string };
}

/** @returns whether this outcome is a failure */
export function isFailure({ result }: Outcome): boolean {
  return 'failed' in result || ('trial' in result && result.trial.problems.length > 0);
}

/**
 * Installs a language's providers and tries them one after another.
 *
 * @param isEachRequired whether a missing tool is a failure instead of a skip
 */
export async function runLanguage(
  language: Language,
  service: ProviderService,
  isEachRequired: boolean,
  note: (line: string) => void,
): Promise<readonly Outcome[]> {
  const forAll = (result: Outcome['result']): readonly Outcome[] =>
    language.providers.map((provider) => ({ language: language.name, provider, result }));
  const missing = missingTools(language);
  if (missing !== null) return forAll(isEachRequired ? { failed: missing } : { skipped: missing });
  let folder: string;
  try {
    folder = await install(language, note);
  } catch (error) {
    return forAll({ failed: (error as Error).message });
  }
  const outcomes: Outcome[] = [];
  for (const provider of language.providers) {
    const result = await tryProvider(provider, folder, service).then(
      (trial) => ({ trial }),
      (error: Error) => ({ failed: error.message }),
    );
    outcomes.push({ language: language.name, provider, result });
  }
  return outcomes;
}
