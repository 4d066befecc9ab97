import type { SyncAudience, SyncFlag, SyncSnapshot } from '../../../src/domain/sync/configuration.ts';
import type { Random } from '../../support/random.ts';

const attributes = ['plan', 'country', 'beta', 'age', 'it\'s "quoted"', 'größe', 'constructor', '0'];
const values = [
  'pro',
  '1.0',
  '0',
  '12345678901234567890',
  'team',
  '',
  'true',
  'false',
  '42',
  '-1.5',
  '007',
  '1e3',
  '$&',
  '\\u0041',
  'größe',
  '"',
  'null',
];
const cohorts = ['acme', 'globex', '42', 'true', 'null', 'größe', '$1', 'a\\b'];
const percentages = [0, 1, 10, 33, 50, 67, 99, 100];

function some<T>(random: Random, items: readonly T[], max: number): T[] {
  return random.shuffle(items).slice(0, random.integer(1, max));
}

function randomId(random: Random): string {
  return Array.from({ length: 20 }, () => random.pick([...'0123456789ABCdefgh'])).join('');
}

function randomAudience(random: Random): SyncAudience {
  const rules = some(random, attributes, 2).map((attribute) => ({
    attribute,
    values: some(random, values, 6),
  }));
  return { id: randomId(random), rules };
}

/** An environment with flags of every kind; some have names to which another flag answers, or the id of one as a name. */
export function randomSnapshot(random: Random, flagCount: number): SyncSnapshot {
  const audiences = Array.from({ length: 20 }, () => randomAudience(random));
  const flags: SyncFlag[] = [];
  for (let index = 0; index < flagCount; index += 1) {
    const name = random.chance(0.05) ? random.pick(['twin', flags[0]?.id ?? 'twin']) : `flag ${index} "ü"`;
    flags.push({
      id: randomId(random),
      name,
      names: flags.some(({ names }) => names.includes(name)) ? [] : [name],
      revision: random.integer(1, 9),
      enabled: random.chance(0.9),
      trafficPercentage: random.pick(percentages),
      cohorts: random.chance(0.5) ? some(random, cohorts, 4) : [],
      audienceId: random.chance(0.5) ? random.pick(audiences).id : null,
    });
  }
  return { version: 'h.1', projectId: randomId(random), environment: 'production', flags, audiences };
}

/** A value of an attribute as a program gives it. */
export type SentValue = string | number | boolean | readonly (string | number | boolean)[];

const scalars: readonly (string | number | boolean)[] = [...values, true, false, 42, -1.5, 7, 1, 0, 1000];

export type SentContext = Readonly<Record<string, SentValue>>;

/** What a program asks with: keys of ASCII or of any characters, attributes of any kind. */
export function randomContext(random: Random, isAscii: boolean): SentContext {
  const sent: Record<string, SentValue> = {};
  const key = (): string => `${isAscii ? 'user-' : 'größe-€-'}${random.integer(0, 1_000_000)}`;
  if (random.chance(0.7)) sent['targetingKey'] = random.chance(0.05) ? '' : key();
  const named = isAscii ? ['acme', 'globex', '42', 'true', 'null'] : cohorts;
  if (random.chance(0.1)) sent['cohort'] = some(random, [...named, 42, 0, true, false], 3);
  else if (random.chance(0.5)) sent['cohort'] = random.chance(0.2) ? key() : random.pick(named);
  for (const attribute of attributes) {
    if (random.chance(0.4)) continue;
    sent[attribute] = random.chance(0.2) ? some(random, scalars, 3) : random.pick(scalars);
  }
  return sent;
}
