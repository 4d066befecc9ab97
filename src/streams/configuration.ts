import type { EvaluableAudience } from '../domain/evaluation/compiled-audience.ts';
import { effectiveCohorts, namesOf, type PackedFlag, stateIn } from '../domain/flag/flag.ts';
import type { SyncFlag } from '../domain/sync/configuration.ts';
import { jsonPieces } from '../support/packed-json.ts';
import type { PinnedState } from './store-watch.ts';

type Pieces = Generator<string | Uint8Array, void>;

/** An environment whose configuration is written. */
export interface SyncedEnvironment {
  readonly projectId: string;
  /** `soleEnvironment` in a single-environment project. */
  readonly environmentNumber: number;
  /** Null in a single-environment project. */
  readonly name: string | null;
}

/** A flag as the environment evaluates it: `SyncFlag`, whose cohorts are still packed. */
type ShownFlag = Omit<SyncFlag, 'cohorts'> & { readonly cohorts: PackedFlag['cohorts'] };

function shownFlag(flag: PackedFlag, environmentNumber: number): ShownFlag {
  const { id, name, revision } = flag;
  const state = stateIn(flag, environmentNumber);
  const { enabled, trafficPercentage, audienceId } = state;
  const cohorts = effectiveCohorts(flag, state);
  return { id, name, names: namesOf(flag), revision, enabled, trafficPercentage, cohorts, audienceId };
}

/**
 * The flags of an environment, each as it evaluates them.
 * @param applied takes the ids of the audiences that they apply
 */
function* shownFlags(
  state: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
  applied: Set<string>,
): Generator<ShownFlag, void> {
  for (const found of state.snapshot.evaluation.flagsOf(projectId)) {
    const shown = shownFlag(found.read(), environmentNumber);
    if (shown.audienceId !== null) applied.add(shown.audienceId);
    yield shown;
  }
}

/** The audiences of these ids, by id: `SyncAudience`, whose values are still packed. */
function* shownAudiences(
  state: PinnedState,
  ids: Iterable<string>,
): Generator<Pick<EvaluableAudience, 'id' | 'rules'>, void> {
  for (const id of [...ids].sort()) {
    const audience = state.snapshot.evaluation.audience(id)?.read();
    if (audience !== undefined) yield { id: audience.id, rules: audience.rules };
  }
}

/** Members of an array of JSON. */
function* listed(shown: Iterable<object>): Pieces {
  let separator = '';
  for (const one of shown) {
    yield separator;
    yield* jsonPieces(one);
    separator = ',';
  }
}

/**
 * Everything that an environment evaluates: a `SyncSnapshot` as JSON in pieces, from one state.
 * @param version as text
 */
export function* snapshotPieces(state: PinnedState, environment: SyncedEnvironment, version: string): Pieces {
  const { projectId, name } = environment;
  const head = JSON.stringify({ version, projectId, environment: name });
  yield `${head.slice(0, -1)},"flags":[`;
  const applied = new Set<string>();
  yield* listed(shownFlags(state, environment, applied));
  yield '],"audiences":[';
  yield* listed(shownAudiences(state, applied));
  yield ']}';
}

/** What a delta is made of. */
export interface ChangedSet {
  readonly flags: ReadonlySet<string>;
  /** Changed audiences that a flag of the environment applies. */
  readonly audiences: ReadonlySet<string>;
  /** Audiences that no flag applies any more. */
  readonly unapplied: ReadonlySet<string>;
}

/** The present state of what changed: a `SyncDelta` as JSON in pieces, from one state. */
export function* deltaPieces(
  state: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
  version: string,
  changed: ChangedSet,
): Pieces {
  yield `${JSON.stringify({ version }).slice(0, -1)},"flags":[`;
  const removed: string[] = [];
  const audiences = new Set(changed.audiences);
  let separator = '';
  for (const id of [...changed.flags].sort()) {
    const flag = state.snapshot.evaluation.flag(id)?.read();
    if (flag === undefined || flag.projectId !== projectId) {
      removed.push(id);
      continue;
    }
    const shown = shownFlag(flag, environmentNumber);
    if (shown.audienceId !== null) audiences.add(shown.audienceId);
    if (separator !== '') yield separator;
    yield* jsonPieces(shown);
    separator = ',';
  }
  yield `],"removed":${JSON.stringify(removed)},"audiences":[`;
  yield* listed(shownAudiences(state, audiences));
  const gone = [...changed.unapplied].filter((id) => !audiences.has(id)).sort();
  yield `],"removedAudiences":${JSON.stringify(gone)}}`;
}

/** @returns the audience that a flag applies in the environment; null: none, or the flag is gone */
export function audienceIn(
  flag: PackedFlag | undefined,
  { projectId, environmentNumber }: SyncedEnvironment,
): string | null {
  return flag?.projectId === projectId ? stateIn(flag, environmentNumber).audienceId : null;
}

export function audienceOfFlag(
  { snapshot }: PinnedState,
  environment: SyncedEnvironment,
  flagId: string,
): string | null {
  return audienceIn(snapshot.evaluation.flag(flagId)?.read(), environment);
}

/** Which flag of an environment applies which audience. */
export class AppliedAudiences {
  readonly #ofFlag = new Map<string, string>();
  readonly #flagsOf = new Map<string, number>();

  get size(): number {
    return this.#ofFlag.size;
  }

  has(audienceId: string): boolean {
    return this.#flagsOf.has(audienceId);
  }

  /** @returns an audience that no flag applies any more; null: there is none */
  set(flagId: string, audienceId: string | null): string | null {
    const before = this.#ofFlag.get(flagId) ?? null;
    if (before === audienceId) return null;
    if (audienceId === null) this.#ofFlag.delete(flagId);
    else this.#ofFlag.set(flagId, audienceId);
    if (audienceId !== null) this.#flagsOf.set(audienceId, (this.#flagsOf.get(audienceId) ?? 0) + 1);
    if (before === null) return null;
    const left = (this.#flagsOf.get(before) ?? 0) - 1;
    if (left > 0) this.#flagsOf.set(before, left);
    else this.#flagsOf.delete(before);
    return left > 0 ? null : before;
  }
}
