import { strictEqual } from 'node:assert/strict';
import { rolloutThreshold } from '../../../src/domain/evaluation/bucketing.ts';
import type { SyncAudience, SyncFlag } from '../../../src/domain/sync/configuration.ts';
import { murmur3Reference } from '../../support/murmur3-reference.ts';
import type { Random } from '../../support/random.ts';

/** Flags and audiences by id, as a service has them. */
export interface Configuration {
  readonly flags: Map<string, SyncFlag>;
  readonly audiences: Map<string, SyncAudience>;
}

export interface Question {
  readonly key: string;
  readonly context: Readonly<Record<string, unknown>>;
}

const cohorts = ['staff', 'beta', 'größe', 'früh+spät', '🙂', 'a', ''];
const attributes = ['plan', 'country', 'version', 'größe', 'seats', 'isAdmin', 'targetingKey', 'toString'];
const values = ['pro', 'free', 'CH', 'DE', '42', 'true', 'false', '', 'ünïcode', '🙂', '1.5', '-0', '1e+21'];

export function idFrom(random: Random): string {
  return Array.from({ length: 20 }, () => random.integer(0, 35).toString(36)).join('');
}

function some<Item>(random: Random, items: readonly Item[], max: number): Item[] {
  return random.shuffle(items).slice(0, random.integer(0, max));
}

function randomAudience(random: Random, id: string): SyncAudience {
  const rules = some(random, attributes, 3).map((attribute) => ({
    attribute,
    values: [random.pick(values), ...some(random, values, random.chance(0.2) ? values.length : 2)],
  }));
  return { id, rules: rules.length > 0 ? rules : [{ attribute: 'plan', values: ['pro'] }] };
}

/** @param among ids of audiences that the flag may apply */
export function randomFlag(
  random: Random,
  id: string,
  name: string,
  among: readonly string[],
  revision = 1,
  names: readonly string[] = [name],
): SyncFlag {
  const long = Array.from({ length: random.chance(0.05) ? 500 : 0 }, (_unused, index) => `cohort-${index}`);
  return {
    id,
    name,
    names,
    revision,
    enabled: random.chance(0.85),
    trafficPercentage: random.pick([0, 100, 1, 50, random.integer(2, 99)]),
    cohorts: [...some(random, cohorts.slice(0, -1), 3), ...long],
    audienceId: among.length > 0 && random.chance(0.5) ? random.pick(among) : null,
  };
}

/** Some names occur twice: only the first flag answers to them. */
export function randomConfiguration(random: Random, count: number): Configuration {
  const audiences = Array.from({ length: Math.ceil(count / 4) }, () =>
    randomAudience(random, idFrom(random)),
  );
  const ids = audiences.map(({ id }) => id);
  const taken = new Set<string>();
  const flags = Array.from({ length: count }, (_unused, index) => {
    const name = random.chance(0.05) ? `flag ${Math.floor(index / 2)}` : `flag ${index}`;
    const names = taken.has(name) ? [] : [name];
    taken.add(name);
    return randomFlag(random, idFrom(random), name, ids, 1, names);
  });
  return {
    flags: new Map(flags.map((flag) => [flag.id, flag])),
    audiences: new Map(audiences.map((audience) => [audience.id, audience])),
  };
}

function randomValue(random: Random): unknown {
  const kind = random.integer(0, 9);
  if (kind <= 5) return random.pick(values);
  if (kind === 6) return random.pick([42, 42.0, 1.5, -0, 1e21, true, false, 0.1 + 0.2]);
  if (kind === 7) return random.pick([null, undefined, { plan: 'pro' }, [['pro']], new Date(0), Number.NaN]);
  return some(random, [...values, 42, true, null], 3);
}

export function randomQuestion(random: Random, { flags }: Configuration): Question {
  const flag = random.pick([...flags.values()]);
  const context: Record<string, unknown> = {};
  if (random.chance(0.8))
    context['targetingKey'] = random.pick(['', 'schlüssel', `user-${random.integer(0, 1e6)}`]);
  // Without either, a percentage is a fresh roll each time, which nobody can compare.
  const needsKey = !context['targetingKey'] && flag.trafficPercentage % 100 !== 0;
  if (needsKey || random.chance(0.3)) {
    const one = needsKey ? random.pick(cohorts.slice(0, -1)) : random.pick(cohorts);
    context['cohort'] = random.chance(0.3) ? [one, 'cohort-7', ...some(random, cohorts, 2)] : one;
  }
  for (const attribute of some(
    random,
    attributes.filter((name) => name !== 'targetingKey'),
    5,
  )) {
    context[attribute] = randomValue(random);
  }
  if (random.chance(0.1)) context['env'] = 'another';
  return { key: random.pick([flag.id, ...flag.names]), context };
}

function textsOf(value: unknown): string[] {
  const single = (item: unknown): string[] => {
    if (typeof item === 'string') return [item];
    if (typeof item === 'number' || typeof item === 'boolean') return [String(item)];
    return item instanceof Date ? [item.toISOString()] : [];
  };
  return Array.isArray(value) ? value.flatMap(single) : single(value);
}

/** The rules in plain words, without anything of what they are tested against. @returns null where there is no answer */
export function expectedAnswer(
  { flags, audiences }: Configuration,
  { key, context }: Question,
): boolean | null {
  const flag = flags.get(key) ?? [...flags.values()].find(({ names }) => names.includes(key));
  if (flag === undefined) return null;
  if (!flag.enabled) return false;
  const sentCohorts = textsOf(context['cohort']).filter((cohort) => cohort !== '');
  if (sentCohorts.some((cohort) => flag.cohorts.includes(cohort))) return true;
  if (flag.audienceId !== null) {
    const audience = audiences.get(flag.audienceId);
    strictEqual(audience === undefined, false, 'an audience is missing');
    for (const rule of audience?.rules ?? []) {
      const isParameter = ['targetingKey', 'cohort', 'env'].includes(rule.attribute);
      const own =
        !isParameter && Object.hasOwn(context, rule.attribute) ? context[rule.attribute] : undefined;
      if (!textsOf(own).some((value) => rule.values.includes(value))) return false;
    }
  }
  const threshold = rolloutThreshold(flag.trafficPercentage);
  const bucketingKey = textsOf(context['targetingKey'])[0] || sentCohorts[0] || '';
  if (threshold === 0 || threshold === 2 ** 32) return threshold !== 0;
  return murmur3Reference(new TextEncoder().encode(flag.id + bucketingKey)) < threshold;
}

/** What changes in one step. */
export interface Change {
  readonly flags: readonly SyncFlag[];
  readonly removed: readonly string[];
  readonly audiences: readonly SyncAudience[];
  readonly removedAudiences: readonly string[];
}

/** Changes a configuration at random, and says what changed. */
export function changeAtRandom(random: Random, { flags, audiences }: Configuration): Change {
  const changedAudiences = some(random, [...audiences.keys()], 1).map((id) => randomAudience(random, id));
  if (random.chance(0.3)) changedAudiences.push(randomAudience(random, idFrom(random)));
  for (const audience of changedAudiences) audiences.set(audience.id, audience);
  const ids = [...audiences.keys()];
  const changed = some(random, [...flags.values()], 4).map((flag) => {
    const isRenamed = random.chance(0.2);
    const name = isRenamed ? random.pick([...flags.values()]).name : flag.name;
    return randomFlag(random, flag.id, name, ids, flag.revision + 1, isRenamed ? [] : flag.names);
  });
  // A flag gives a name to another one, which may come before it in the change.
  const [giver, taker] = changed;
  if (giver !== undefined && taker !== undefined) {
    changed.splice(0, 2, { ...taker, names: [...taker.names, ...giver.names] }, { ...giver, names: [] });
  }
  if (random.chance(0.3)) {
    const name = `new ${random.integer(0, 99)}`;
    const isTaken = [...flags.values(), ...changed].some(({ names }) => names.includes(name));
    changed.push(randomFlag(random, idFrom(random), name, ids, 1, isTaken ? [] : [name]));
  }
  for (const flag of changed) flags.set(flag.id, flag);
  const unchanged = [...flags.keys()].filter((id) => changed.every((flag) => flag.id !== id));
  const removed = flags.size > 10 && random.chance(0.3) ? some(random, unchanged, 2) : [];
  for (const id of removed) flags.delete(id);
  const used = new Set([...flags.values()].map(({ audienceId }) => audienceId));
  const isSent = (id: string): boolean => changedAudiences.some((audience) => audience.id === id);
  const removedAudiences = ids.filter((id) => !used.has(id) && !isSent(id)).slice(0, 2);
  for (const id of removedAudiences) audiences.delete(id);
  return { flags: changed, removed, audiences: changedAudiences, removedAudiences };
}
