import { expect } from '../support/expectations.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { ContextValue, QuestionContext } from './questions.ts';

/** How often a request without a bucketing key is repeated: of a third, one answer alone comes once in 10^12 runs. */
const rollsMax = 64;

/** The texts that a value of a context stands for; none for what no rule can look at. */
function textsOf(value: ContextValue): readonly string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [String(value)];
  return Array.isArray(value) ? value.map(String) : [];
}

function queryOf(context: QuestionContext, environment: string | null, cohort: string | null): string {
  const query = Object.entries(context)
    .filter(([name]) => name !== 'env' && name !== 'cohort')
    .flatMap(([name, value]) => textsOf(value).map((text): [string, string] => [name, text]));
  if (environment !== null) query.push(['env', environment]);
  if (cohort !== null) query.push(['cohort', cohort]);
  return query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

async function ask(api: HttpClient, path: string): Promise<boolean> {
  const { status, text } = await api.send({ path });
  expect(status === 200, `${path}: ${status} ${text}`);
  return (JSON.parse(text) as { readonly enabled: boolean }).enabled;
}

/**
 * Asks the Evaluation API what a provider must answer. It takes one cohort; of a list any counts that the flag lists,
 * and the first is the key where there is no targetingKey.
 *
 * @returns the answers that are right: both, where the context has no bucketing key and each request is a roll
 */
export async function askEvaluationApi(
  api: HttpClient,
  flagId: string,
  environment: string | null,
  context: QuestionContext,
): Promise<ReadonlySet<boolean>> {
  const cohorts = textsOf(context['cohort'] ?? null);
  const [targetingKey] = cohorts;
  const first = targetingKey === undefined ? {} : { targetingKey };
  const paths = (cohorts.length === 0 ? [null] : cohorts).map(
    (cohort) => `/v1/flags/${flagId}?${queryOf({ ...first, ...context }, environment, cohort)}`,
  );
  const isSticky = context['targetingKey'] !== undefined || cohorts.length > 0;
  const answers = new Set<boolean>();
  for (let roll = 0; roll < (isSticky ? 1 : rollsMax); roll += 1) {
    let isOn = false;
    for (const path of paths) isOn = (await ask(api, path)) || isOn;
    answers.add(isOn);
  }
  return answers;
}
