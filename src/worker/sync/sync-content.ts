import type { EvaluableAudience } from '../../domain/evaluation/compiled-audience.ts';
import { effectiveCohorts, type PackedFlag, stateIn } from '../../domain/flag/flag.ts';
import type { SyncFlag } from '../../domain/sync/configuration.ts';
import type { Tenant } from '../../support/fair-share.ts';
import { jsonPieces } from '../../support/packed-json.ts';
import type { PinnedState } from './settled-state.ts';

type Pieces = Generator<string | Uint8Array, void>;

/** An environment whose configuration is written. */
export interface SyncedEnvironment extends Tenant {
  readonly environmentNumber: number;
  /** Null in a single-environment project. */
  readonly name: string | null;
}

/** Which flag of an environment applies which audience. */
export type AppliedAudiences = Map<string, string>;

/** A flag as the environment evaluates it: `SyncFlag`, whose cohorts are still packed. */
type ShownFlag = Omit<SyncFlag, 'cohorts'> & { readonly cohorts: PackedFlag['cohorts'] };

function shownFlag(flag: PackedFlag, environmentNumber: number): ShownFlag {
  const { id, name, revision } = flag;
  const state = stateIn(flag, environmentNumber);
  const { enabled, trafficPercentage, audienceId } = state;
  const cohorts = effectiveCohorts(flag, state);
  return { id, name, revision, enabled, trafficPercentage, cohorts, audienceId };
}

/**
 * The flags of an environment, each as it evaluates them. An empty text after a step of reading one.
 * @param applied takes the ids of the audiences that they apply
 */
export function* shownFlags(
  state: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
  applied: Set<string>,
): Generator<ShownFlag | string, void> {
  for (const found of state.snapshot.evaluation.flagsOf(projectId)) {
    const flag = found.read();
    const shown = shownFlag(flag, environmentNumber);
    if (shown.audienceId !== null) applied.add(shown.audienceId);
    yield shown;
  }
}

/** The audiences of these ids, by id: `SyncAudience`, whose values are still packed. An empty text after a step of reading one. */
export function* shownAudiences(
  state: PinnedState,
  ids: Iterable<string>,
): Generator<Pick<EvaluableAudience, 'id' | 'rules'> | string, void> {
  for (const id of [...ids].sort()) {
    const found = state.snapshot.evaluation.audience(id);
    if (found === undefined) continue;
    const audience = found.read();
    yield { id: audience.id, rules: audience.rules };
  }
}

/** Members of an array of JSON. */
function* listed(shown: Iterable<object | string>): Pieces {
  let separator = '';
  for (const one of shown) {
    yield typeof one === 'string' ? one : separator;
    if (typeof one === 'string') continue;
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
  /** Audiences that have changed, or that a changed flag has let go of. */
  readonly audiences: ReadonlySet<string>;
}

/**
 * The present state of what changed: a `SyncDelta` as JSON in pieces, from one state.
 * @param isApplied whether a flag of the environment applies the audience
 */
export function* deltaPieces(
  state: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
  version: string,
  changed: ChangedSet,
  isApplied: (audienceId: string) => boolean,
): Pieces {
  yield `${JSON.stringify({ version }).slice(0, -1)},"flags":[`;
  const removed: string[] = [];
  const audiences = new Set<string>([...changed.audiences].filter(isApplied));
  let separator = '';
  for (const id of [...changed.flags].sort()) {
    const found = state.snapshot.evaluation.flag(id);
    const flag = found?.read();
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
  const gone = [...changed.audiences].filter((id) => !audiences.has(id)).sort();
  yield `],"removedAudiences":${JSON.stringify(gone)}}`;
}

/** Reads which audience a flag applies. @returns undefined when it is gone; null for none */
export function audienceOfFlag(
  state: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
  flagId: string,
): string | null | undefined {
  const found = state.snapshot.evaluation.flag(flagId);
  const flag = found?.read();
  if (flag === undefined || flag.projectId !== projectId) return undefined;
  return stateIn(flag, environmentNumber).audienceId;
}

/** Reads which flag applies which audience, a flag in each step. */
export function* readApplied(
  state: PinnedState,
  { projectId, environmentNumber }: SyncedEnvironment,
): Generator<string, AppliedAudiences> {
  const applied: AppliedAudiences = new Map();
  // Each record is read with an id of its own: of thousands that are the same, one is kept.
  const ids = new Map<string, string>();
  for (const found of state.snapshot.evaluation.flagsOf(projectId)) {
    const flag = found.read();
    const { audienceId } = stateIn(flag, environmentNumber);
    if (audienceId !== null) {
      const id = ids.get(audienceId) ?? audienceId;
      ids.set(id, id);
      applied.set(flag.id, id);
    }
    yield '';
  }
  return applied;
}
