import type { Test } from 'tap';
import { createRandom, type Random } from '../../support/random.ts';
import { flagOf, startOfrep } from './ofrep-fixture.ts';

type Value = string | number | boolean | null | readonly (string | number | boolean)[];

const words = [
  'pro',
  'team',
  'free',
  'eu',
  '€',
  'us',
  '',
  '42',
  'true',
  'user-7',
  'ü 50%',
  'a+b&c=d',
  '😀',
  '\u0000',
];
const numbers = [42, 0, -0, 0.1, 1e21, -7, 3.0];
const names = ['plan', 'region', 'x', 'ü', 'toString', '1'];

/**
 * Asks the Evaluation API and OFREP the same questions. Where they must differ, the cause is counted by its name:
 * - `roll`: a percentage between 0 and 100 without a key is a random roll, each time anew.
 * - `several cohorts`: a query string has one cohort.
 */
export async function checkAgreement(t: Test, contexts: number, seed: number): Promise<void> {
  const { shop, solo, ask, client } = await startOfrep(t);
  const random = createRandom(seed);
  const places = [
    ...Object.keys(shop.flags).map((name) => ({
      project: shop,
      base: `/projects/${shop.id}/production`,
      name,
      env: 'production',
    })),
    ...Object.keys(solo.flags).map((name) => ({
      project: solo,
      base: `/projects/${solo.id}`,
      name,
      env: '',
    })),
  ];
  const causes = new Map<string, number>();
  const count = (cause: string) => causes.set(cause, (causes.get(cause) ?? 0) + 1);
  let on = 0;
  for (let asked = 0; asked < contexts; asked += 1) {
    const { project, base, name, env } = random.pick(places);
    const context = contextOf(random);
    const id = flagOf(project, name);
    const [cohort] = listOf(context['cohort'] ?? null).filter((each) => each !== '');
    const query = queryOf({ ...context, cohort: cohort ?? null }, env);
    const [plain, ofrep] = await Promise.all([
      client.send({ path: `/v1/flags/${id}${query}` }),
      ask(base, random.chance(0.5) ? id : name, { context }),
    ]);
    if (plain.status !== 200 || ofrep.status !== 200) {
      t.same([plain.status, ofrep.status], [200, 200], `${query} ${JSON.stringify(context)}`);
      continue;
    }
    if (ofrep.json.value) on += 1;
    const { enabled } = JSON.parse(plain.text);
    if (enabled === ofrep.json.value) count('same');
    else if (ofrep.json.metadata.reason.startsWith('roll-')) count('roll');
    else if (listOf(context['cohort'] ?? null).length > 1) count('several cohorts');
    else t.equal(ofrep.json.value, enabled, `${name} ${JSON.stringify(context)}`);
  }
  t.comment(`${contexts} contexts: ${JSON.stringify(Object.fromEntries(causes))}`);
  t.ok((causes.get('same') ?? 0) > contexts * 0.9, 'most are comparable');
  t.ok(on > contexts * 0.2 && on < contexts * 0.9, 'both answers occur');
}

function contextOf(random: Random): Record<string, Value> {
  const context: Record<string, Value> = {};
  const add = (name: string, probability: number, value: () => Value) => {
    if (random.chance(probability)) context[name] = value();
  };
  add('targetingKey', 0.8, () => random.pick([...words, ...numbers, `user-${random.integer(0, 1000)}`]));
  add('cohort', 0.5, () => random.pick<Value>(['beta', 'vip', 'other', '', ['x', 'beta'], ['vip'], 7]));
  add('env', 0.2, () => random.pick(words));
  for (const name of names) add(name, 0.6, () => randomValue(random));
  return context;
}

function randomValue(random: Random): Value {
  const scalar = () => random.pick<string | number | boolean>([...words, ...numbers, true, false]);
  return random.chance(0.3)
    ? Array.from({ length: random.integer(0, 3) }, scalar)
    : random.pick([scalar(), null]);
}

function listOf(value: Value): readonly string[] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** The same context as a query string, by what the documentation says. */
function queryOf(context: Readonly<Record<string, Value>>, env: string): string {
  const pairs = Object.entries({ ...context, env }).flatMap(([name, value]) =>
    listOf(value).map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
  );
  return `?${pairs.join('&')}`;
}
