import { ByteSet } from '../../support/byte-set.ts';
import { effectiveCohorts, type Flag, type FlagState, stateIn } from '../flag/flag.ts';
import type { Environment, Project } from '../project/project.ts';
import { soleEnvironment } from '../project/project.ts';
import type { EvaluationTally } from '../usage/evaluation-count.ts';
import type { Audience } from './audience.ts';
import { hashPrefix, rolloutThreshold } from './bucketing.ts';

const encoder = new TextEncoder();
/** What an entry costs beside its bytes: objects, references, the cache's own entry. Measured roughly, meant as a bound. */
const overheadBytes = 600;

export interface CompiledRule {
  readonly attribute: Uint8Array;
  readonly values: ByteSet;
}

/** One environment of a flag, as evaluation needs it. */
export interface CompiledState {
  readonly isEnabled: boolean;
  readonly cohorts: ByteSet | null;
  readonly rules: readonly CompiledRule[] | null;
  /** A key is in the rollout when its hash is below this: 0 nobody, 2³² everybody. */
  readonly threshold: number;
  /** What was answered: the one part that moves. */
  readonly tally: EvaluationTally;
}

/** A flag made ready: compiled once when it is loaded, asked on every request. */
export interface CompiledFlag {
  readonly id: string;
  /** The state of the bucketing hash after the flag's id. */
  readonly hashState: number;
  readonly idLength: number;
  /** The state of a single-environment flag; null on a group flag. */
  readonly sole: CompiledState | null;
  /** Names (UTF-8) and states of a group flag, in the project's order; empty on a single-environment flag. */
  readonly environmentNames: readonly Uint8Array[];
  readonly states: readonly CompiledState[];
  /** The two possible bodies of an answer, as UTF-8 JSON. */
  readonly onBody: Uint8Array;
  readonly offBody: Uint8Array;
  readonly sizeBytes: number;
}

/** Audiences by id, of the flag's project. Flags that are given the same object share its compiled rules. */
export type AudienceLookup = (id: string) => Audience | undefined;

/** By the audience that they were compiled from, as long as anybody holds that: flags share what they have in common. */
const rulesOf = new WeakMap<Audience, readonly CompiledRule[]>();

function compileRules(audience: Audience): readonly CompiledRule[] {
  const known = rulesOf.get(audience);
  if (known !== undefined) return known;
  const rules = audience.rules.map((rule) => ({
    attribute: encoder.encode(rule.attribute),
    values: new ByteSet(rule.values),
  }));
  rulesOf.set(audience, rules);
  return rules;
}

/** Compiles each list of cohorts once: the environments of a flag that inherit its list share it. */
class CohortSets {
  readonly #sets = new Map<readonly string[], ByteSet>();

  setOf(cohorts: readonly string[]): ByteSet | null {
    if (cohorts.length === 0) return null;
    const set = this.#sets.get(cohorts) ?? new ByteSet(cohorts);
    this.#sets.set(cohorts, set);
    return set;
  }

  get sizeBytes(): number {
    let size = 0;
    for (const set of this.#sets.values()) size += set.sizeBytes;
    return size;
  }
}

function compileState(
  flag: Flag,
  environmentNumber: number,
  audienceById: AudienceLookup,
  cohortSets: CohortSets,
): CompiledState {
  const state: FlagState = stateIn(flag, environmentNumber);
  const audience = state.audienceId === null ? undefined : audienceById(state.audienceId);
  if (state.audienceId !== null && audience === undefined) {
    throw new Error(`flag ${flag.id} applies audience ${state.audienceId}, which does not exist`);
  }
  return {
    isEnabled: state.enabled,
    cohorts: cohortSets.setOf(effectiveCohorts(flag, state)),
    rules: audience === undefined ? null : compileRules(audience),
    threshold: rolloutThreshold(state.trafficPercentage),
    tally: { flagId: flag.id, environmentNumber, on: 0, off: 0 },
  };
}

function stateSizeBytes(state: CompiledState): number {
  let size = 160;
  for (const rule of state.rules ?? []) size += 100 + rule.attribute.length + rule.values.sizeBytes;
  return size;
}

function answerBody(flag: Flag, enabled: boolean): Uint8Array {
  return encoder.encode(JSON.stringify({ id: flag.id, name: flag.name, enabled }));
}

/**
 * @param environments the ones that will be asked for; all of the project's unless told otherwise
 * @throws when the flag refers to an audience that does not exist: such a flag cannot have been stored.
 */
export function compileFlag(
  flag: Flag,
  project: Project,
  audienceById: AudienceLookup,
  environments: readonly Environment[] = project.environments,
): CompiledFlag {
  const cohortSets = new CohortSets();
  const compile = (number: number): CompiledState => compileState(flag, number, audienceById, cohortSets);
  const states = environments.map(({ number }) => compile(number));
  const sole = project.isMultiEnvironment ? null : compile(soleEnvironment);
  const id = encoder.encode(flag.id);
  const onBody = answerBody(flag, true);
  const offBody = answerBody(flag, false);
  let sizeBytes = overheadBytes + onBody.length + offBody.length + cohortSets.sizeBytes;
  if (sole !== null) sizeBytes += stateSizeBytes(sole);
  for (const state of states) sizeBytes += 100 + stateSizeBytes(state);
  return {
    id: flag.id,
    hashState: hashPrefix(id),
    idLength: id.length,
    sole,
    environmentNames: environments.map((environment) => encoder.encode(environment.name)),
    states,
    onBody,
    offBody,
    sizeBytes,
  };
}
