import type { ByteSet } from '../../support/byte-set.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type Flag, initialState, namesOf } from '../flag/flag.ts';
import { type Environment, type Project, soleEnvironment } from '../project/project.ts';
import { EvaluationTally } from '../usage/evaluation-count.ts';
import type { Audience } from './audience.ts';
import { hashPrefix, rolloutThreshold } from './bucketing.ts';
import { CohortSets } from './cohort-sets.ts';
import {
  type CompiledAudience,
  type CompiledRule,
  compileAudience,
  evaluableAudienceOf,
} from './compiled-audience.ts';
import { type EvaluableFlag, evaluableOf } from './evaluable-flag.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The buffer in which a flag's id is hashed. */
const idBytes = new Uint8Array(64);
/**
 * Bytes of a cache entry without its texts: objects, references, the cache's own entry. Measured roughly, meant as a
 * bound.
 */
const overheadBytes = 600;
const stateBytes = 160;
const noAliases: readonly string[] = [];

/*
 * Compiled flags are instances of classes, not object literals: once many objects of a literal have lived long, as those
 * of kept flags do, V8 makes all of them in its old space, where only a major collection frees them. A list that is too
 * long to be kept caused some six major collections a second.
 */

/** One environment of a flag, as evaluation needs it. */
export class CompiledState {
  readonly isEnabled: boolean;
  readonly cohorts: ByteSet | null;
  readonly rules: readonly CompiledRule[] | null;
  /** A key is in the rollout when its hash is below this: 0 means no key, 2³² every key. */
  readonly threshold: number;
  /** Counts of the answers: the only part that changes. */
  readonly tally: EvaluationTally;

  constructor(
    isEnabled: boolean,
    cohorts: ByteSet | null,
    rules: readonly CompiledRule[] | null,
    threshold: number,
    tally: EvaluationTally,
  ) {
    this.isEnabled = isEnabled;
    this.cohorts = cohorts;
    this.rules = rules;
    this.threshold = threshold;
    this.tally = tally;
  }

  /** The same, with other rules; it shares the counts. */
  withRules(rules: readonly CompiledRule[] | null): CompiledState {
    return new CompiledState(this.isEnabled, this.cohorts, rules, this.threshold, this.tally);
  }
}

/** A flag compiled for evaluation: once when it is loaded, and then evaluated for every request. */
export class CompiledFlag {
  readonly id: string;
  /** Whether requests for its name get this flag. */
  readonly ownsName: boolean;
  /** Former names for which requests get it, too. */
  readonly aliases: readonly string[];
  /** Whether one of these names may be the id of another flag, which goes first. */
  readonly hasNameLikeId: boolean;
  /** The state of the bucketing hash after the flag's id. */
  readonly hashState: number;
  readonly idLength: number;
  /** Counts the changes of the flag, from 1. */
  readonly revision: number;
  /** The state of a single-environment flag; null on a group flag. */
  readonly sole: CompiledState | null;
  /** Names (UTF-8) and states of a group flag, in the project's order; empty on a single-environment flag. */
  readonly environmentNames: readonly Uint8Array[];
  readonly states: readonly CompiledState[];
  /** The two possible bodies of an answer, as JSON text: writing a short text costs less than a view of bytes. */
  readonly onBody: string;
  readonly offBody: string;
  /** Their lengths in UTF-8. */
  readonly onBytes: number;
  readonly offBytes: number;
  /** Each audience once. Other flags of the project share them. */
  readonly audiences: readonly CompiledAudience[];
  /** Memory of the flag without its audiences; it includes the indexes that its lists will get. */
  readonly sizeBytes: number;

  /** @param environments that will be evaluated */
  constructor(
    flag: EvaluableFlag,
    isMultiEnvironment: boolean,
    environments: readonly Environment[],
    compiler: StateCompiler,
  ) {
    const id = idBytesOf(flag.id);
    // A text of its own, not a slice of the record's: V8 compares a slice with the id of each request in its slow path.
    this.id = decoder.decode(id);
    this.ownsName = flag.nameSince !== null;
    this.aliases = flag.aliases.length === 0 ? noAliases : flag.aliases;
    this.hasNameLikeId = namesOf(flag).some(isIdShaped);
    this.hashState = hashPrefix(id);
    this.idLength = id.length;
    this.revision = flag.revision;
    this.states = environments.map(({ number }) => compiler.compile(number));
    this.sole = isMultiEnvironment ? null : compiler.compile(soleEnvironment);
    this.environmentNames = environments.map(nameBytesOf);
    this.onBody = answerBody(flag, true);
    this.offBody = answerBody(flag, false);
    this.onBytes = encoder.encode(this.onBody).length;
    // The name, which may be long, is the same in both.
    this.offBytes = this.onBytes + this.offBody.length - this.onBody.length;
    this.audiences = compiler.audiences;
    const aliasesBytes = this.aliases.reduce((sum, alias) => sum + 40 + 2 * alias.length, 0);
    const fixedBytes = overheadBytes + aliasesBytes + this.onBody.length + this.offBody.length;
    const statesBytes = (this.sole === null ? 0 : stateBytes) + environments.length * (100 + stateBytes);
    this.sizeBytes = fixedBytes + statesBytes + compiler.sizeBytes;
  }
}

/** Audiences of the flag's project by id. Flags that are compiled with the same object share compiled audiences. */
export type AudienceLookup = (id: string) => Audience | undefined;
export type CompiledAudienceLookup = (id: string) => CompiledAudience | undefined;

export interface CompileOptions {
  /** The environments that will be evaluated; by default all of the project. */
  readonly environments?: readonly Environment[];
}

/** By the audience from which they were compiled, while that audience is referenced. */
const compiledAudiences = new WeakMap<Audience, CompiledAudience>();

function compiledOf(audience: Audience): CompiledAudience {
  const compiled = compiledAudiences.get(audience) ?? compileAudience(evaluableAudienceOf(audience));
  compiledAudiences.set(audience, compiled);
  return compiled;
}

/** Compiles the states of one flag. */
class StateCompiler {
  readonly #flag: EvaluableFlag;
  readonly #audienceById: CompiledAudienceLookup;
  readonly #cohortSets = new CohortSets();
  readonly audiences: CompiledAudience[] = [];

  constructor(flag: EvaluableFlag, audienceById: CompiledAudienceLookup) {
    this.#flag = flag;
    this.#audienceById = audienceById;
  }

  compile(environmentNumber: number): CompiledState {
    const { id, projectId, cohorts, states } = this.#flag;
    const state = states.get(environmentNumber) ?? initialState;
    const rules = state.audienceId === null ? null : this.#rulesOf(state.audienceId);
    const cohortSet = this.#cohortSets.setOf(state.cohortOverride ?? cohorts);
    const threshold = rolloutThreshold(state.trafficPercentage);
    return new CompiledState(
      state.enabled,
      cohortSet,
      rules,
      threshold,
      new EvaluationTally(projectId, id, environmentNumber),
    );
  }

  #rulesOf(audienceId: string): readonly CompiledRule[] {
    const audience = this.#audienceById(audienceId);
    if (audience === undefined) {
      throw new Error(`flag ${this.#flag.id} applies audience ${audienceId}, which does not exist`);
    }
    if (!this.audiences.includes(audience)) this.audiences.push(audience);
    return audience.rules;
  }

  get sizeBytes(): number {
    return this.#cohortSets.sizeBytes;
  }
}

/** The names of environments as UTF-8, while the environments are referenced: all flags of a project share them. */
const environmentNames = new WeakMap<Environment, Uint8Array>();

function nameBytesOf(environment: Environment): Uint8Array {
  const known = environmentNames.get(environment);
  if (known !== undefined) return known;
  const bytes = encoder.encode(environment.name);
  environmentNames.set(environment, bytes);
  return bytes;
}

/** @returns a view of memory that the next call overwrites */
function idBytesOf(id: string): Uint8Array {
  const { read, written } = encoder.encodeInto(id, idBytes);
  if (read < id.length) throw new RangeError('an id that is longer than any');
  return idBytes.subarray(0, written);
}

function answerBody({ id, name }: EvaluableFlag, enabled: boolean): string {
  return JSON.stringify({ id, name, enabled });
}

const [beforeName, afterName] = ['{"id":"","name":'.length, ',"enabled":true}'.length];

/** @returns the flag's name as JSON, a part of the body */
export function nameJson({ id, onBody }: CompiledFlag): string {
  return onBody.slice(beforeName + id.length, -afterName);
}

/**
 * @param environments that will be evaluated; by default all of the project
 * @throws when the flag applies an audience that does not exist: such a flag cannot have been stored.
 */
export function compileFlag(
  flag: Flag,
  project: Project,
  audienceById: AudienceLookup,
  environments: readonly Environment[] = project.environments,
): CompiledFlag {
  const compiledById = (id: string): CompiledAudience | undefined => {
    const audience = audienceById(id);
    return audience === undefined ? undefined : compiledOf(audience);
  };
  return compileEvaluable(evaluableOf(flag), project, compiledById, { environments });
}

/**
 * The same as `compileFlag`, for a flag that was read for evaluation. The compiled flag keeps the bytes of its long
 * lists.
 */
export function compileEvaluable(
  flag: EvaluableFlag,
  project: Pick<Project, 'isMultiEnvironment' | 'environments'>,
  audienceById: CompiledAudienceLookup,
  { environments = project.environments }: CompileOptions = {},
): CompiledFlag {
  const compiler = new StateCompiler(flag, audienceById);
  return new CompiledFlag(flag, project.isMultiEnvironment, environments, compiler);
}
