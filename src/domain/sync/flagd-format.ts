import { contextParameters } from '../evaluation/evaluation-context.ts';
import type { SyncAudience, SyncFlag, SyncSnapshot } from './configuration.ts';

/* Burgee's rules as a flag configuration of flagd (https://flagd.dev/reference/flag-definitions), whose providers of all
   languages evaluate it in their own process. Off is `ENABLED` with the default variant `off`: with `DISABLED` a provider
   answers the default in the code, so that a flag that was switched off could be on. */

type Logic = Readonly<Record<string, unknown>>;

/** Lists whose JSON is longer stand once in `$evaluators` where a flag has two keys; each evaluator costs a provider a search of the text. */
const inlineCharactersMax = 16 * 1024;
const variants = { on: true, off: false } as const;
const targetingKey = { var: 'targetingKey' } as const;
const cohort = { var: 'cohort' } as const;
const [firstCohort, nextCohort] = [{ var: 'accumulator' }, { var: 'current' }] as const;
/**
 * The targeting key, otherwise the first cohort that is not empty; empty without either. Go's provider puts only texts
 * and numbers together. An `or` in place of the `if` gives some providers a truth value instead of the key.
 */
const bucketingKey = {
  if: [
    targetingKey,
    targetingKey,
    {
      reduce: [
        { merge: [cohort] },
        {
          if: [
            ...[firstCohort, firstCohort, { '===': [nextCohort, true] }, 'true'],
            ...[{ '===': [nextCohort, false] }, 'false', { '===': [nextCohort, null] }, ''],
            { cat: [nextCohort] },
          ],
        },
        '',
      ],
    },
  ],
} as const;

/**
 * Writes the configuration of an environment as JSON, in pieces, one for each key of a flag; some are empty.
 *
 * A flag's keys are its id and the names to which it answers, as in OFREP. Nothing is rolled: without
 * targeting key and cohort, a flag that is on for a share of the callers is off.
 */
export function* flagdConfiguration(snapshot: SyncSnapshot): Generator<string, void, void> {
  const shared = new SharedLogic();
  const audiences = new Map(snapshot.audiences.map((audience) => [audience.id, audience]));
  const ids = new Set(snapshot.flags.map(({ id }) => id));
  yield '{"flags":{';
  let separator = '';
  for (const flag of snapshot.flags) {
    // An id goes first.
    const keys = [flag.id, ...flag.names.filter((name) => !ids.has(name))];
    const text = flagText(flag, audienceOf(flag, audiences), keys.length, shared);
    for (const key of keys) {
      yield `${separator}${JSON.stringify(key)}:${text}`;
      separator = ',';
    }
  }
  yield '},"$evaluators":{';
  for (const [index, evaluator] of shared.evaluators.entries()) yield `${index === 0 ? '' : ','}${evaluator}`;
  yield `},"metadata":${JSON.stringify(setMetadata(snapshot))}}`;
}

function audienceOf(
  { id, audienceId }: SyncFlag,
  audiences: ReadonlyMap<string, SyncAudience>,
): SyncAudience | null {
  if (audienceId === null) return null;
  const audience = audiences.get(audienceId);
  // Without it the flag would be on for everybody.
  if (audience === undefined) throw new Error(`flag ${id} applies audience ${audienceId}, which is missing`);
  return audience;
}

/**
 * Nothing that changes with each version: a provider notifies its listeners of each flag whose metadata changed. Without
 * a `scope` the JavaScript provider adds its selector, which may contain a token.
 */
function setMetadata({ projectId, environment }: SyncSnapshot): Readonly<Record<string, string>> {
  const flagSetId = environment === null ? projectId : `${projectId}/${environment}`;
  return { flagSetId, scope: flagSetId };
}

function flagText(flag: SyncFlag, audience: SyncAudience | null, keys: number, shared: SharedLogic): string {
  const { id, revision } = flag;
  const targeting = targetingOf(flag, audience, keys, shared);
  const isOn = targeting === null && flag.enabled && flag.trafficPercentage === 100;
  const head = { state: 'ENABLED', variants, defaultVariant: isOn ? 'on' : 'off' };
  const rest = { metadata: { flagId: id, version: String(revision) } };
  const rules = targeting === null ? '' : `,"targeting":${targeting}`;
  return `${JSON.stringify(head).slice(0, -1)}${rules},${JSON.stringify(rest).slice(1)}`;
}

/** The rules in the order of `evaluateFlag`, as JSON. @returns null when they give everybody the same answer */
function targetingOf(
  flag: SyncFlag,
  audience: SyncAudience | null,
  keys: number,
  shared: SharedLogic,
): string | null {
  const { id, enabled, cohorts, trafficPercentage } = flag;
  const isForAll = trafficPercentage === 100 && audience === null;
  const isForNobody = trafficPercentage === 0 && cohorts.length === 0;
  if (!enabled || isForAll || isForNobody) return null;
  const steps: string[] = [];
  if (cohorts.length > 0) steps.push(shared.cohorts(id, isIn(cohort, cohorts), keys), '"on"');
  if (trafficPercentage > 0) {
    const conditions = audience === null ? [] : [shared.audience(audience)];
    if (trafficPercentage < 100) conditions.push(shared.bucketingKey());
    const answer = trafficPercentage === 100 ? '"on"' : bucketOf(id, trafficPercentage, shared);
    steps.push(allOf(conditions), answer);
  }
  return `{"if":[${steps.join(',')},"off"]}`;
}

function allOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? (conditions[0] as string) : `{"and":[${conditions.join(',')}]}`;
}

/** The key is hashed after the flag's id, as `bucketing.ts` does. */
function bucketOf(flagId: string, percentage: number, shared: SharedLogic): string {
  const key = `{"cat":[${JSON.stringify(flagId)},${shared.bucketingKey()}]}`;
  return `{"fractional":[${key},["on",${percentage}],["off",${100 - percentage}]]}`;
}

/** `targetingKey`, `cohort` and `env` are never attributes: a rule on one of them matches no request. */
function audienceLogic({ rules }: SyncAudience): string {
  return allOf(
    rules.map(({ attribute, values }) =>
      (contextParameters as readonly string[]).includes(attribute) ? never : isIn({ var: attribute }, values),
    ),
  );
}

const never = JSON.stringify({ '!': [true] });

const value = { var: '' } as const;

/** Whether the attribute, or one of its values where it is a list, is one of the texts. @returns JSON */
function isIn(attribute: Logic, texts: readonly string[]): string {
  const anyOf = matches(texts);
  return JSON.stringify({ some: [{ merge: [attribute] }, anyOf.length === 1 ? anyOf[0] : { or: anyOf }] });
}

/**
 * An attribute is compared as text, and JsonLogic compares it as what it is: a number matches the text that is written
 * as JavaScript writes it, a truth value its word. Go's `in` reads a text as a number to compare it with one, and takes
 * a text that is none for 0. So those numbers are excluded first.
 */
function matches(texts: readonly string[]): readonly Logic[] {
  const numerals = texts.filter((text) => String(Number(text)) === text && Number.isFinite(Number(text)));
  const known = new Set(numerals);
  const others = texts.filter((text) => !known.has(text));
  const excluded = new Set([0, ...others.map(Number).filter(Number.isFinite)]);
  const anyOf: Logic[] = [];
  if (others.length > 0) {
    anyOf.push({ and: [{ '!': [{ in: [value, [...excluded]] }] }, { in: [value, others] }] });
  }
  if (numerals.length > 0) anyOf.push({ in: [value, [...numerals, ...numerals.map(Number)]] });
  for (const truth of [true, false]) {
    if (texts.includes(String(truth))) anyOf.push({ '===': [value, truth] });
  }
  return anyOf;
}

/**
 * Rules that several entries refer to. A provider puts them in place by a search in the text, in some languages with
 * patterns in what is put in: with characters beyond ASCII, `$` or a backslash the rules stand where they are used.
 */
class SharedLogic {
  /** Members of `$evaluators`, as JSON. */
  readonly evaluators: string[] = [];
  readonly #audiences = new Map<string, string>();
  #bucketingKey: string | null = null;

  audience(audience: SyncAudience): string {
    const known = this.#audiences.get(audience.id);
    if (known !== undefined) return known;
    const logic = this.#share(`audience-${audience.id}`, audienceLogic(audience));
    this.#audiences.set(audience.id, logic);
    return logic;
  }

  bucketingKey(): string {
    this.#bucketingKey ??= this.#share('bucketing-key', JSON.stringify(bucketingKey));
    return this.#bucketingKey;
  }

  /** @param keys of the flag */
  cohorts(flagId: string, logic: string, keys: number): string {
    if (keys === 1 || logic.length <= inlineCharactersMax) return logic;
    return this.#share(`cohorts-${flagId}`, logic);
  }

  #share(name: string, logic: string): string {
    if (!/^[ -#%-[\]-~]*$/.test(logic)) return logic;
    this.evaluators.push(`"${name}":${logic}`);
    return `{"$ref":"${name}"}`;
  }
}
