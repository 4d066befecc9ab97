import { type CompiledAudience, compileAudience } from '../domain/evaluation/compiled-audience.ts';
import {
  type CompiledAudienceLookup,
  type CompiledFlag,
  compileEvaluable,
} from '../domain/evaluation/compiled-flag.ts';
import type { EvaluableFlag } from '../domain/evaluation/evaluable-flag.ts';
import type { Project } from '../domain/project/project.ts';
import type { EvaluationQueries } from '../storage/evaluation-reader.ts';
import type { WorkQueue } from '../support/sliced-work.ts';

export interface ListedFlag {
  /** UTF-8, as the list is ordered. */
  readonly name: Buffer;
  readonly compiled: CompiledFlag;
}

/** Every flag of a project, compiled, by name (UTF-8 order), then id: one consistent state, never changed in place. */
export interface ProjectList {
  readonly project: Project;
  readonly flags: readonly ListedFlag[];
  readonly sizeBytes: number;
}

/** What a flag's place in a list costs beside the compiled flag. */
const placeBytes = 200;

/** Reads each audience once, so that flags which apply the same one share it compiled. */
export function rememberAudiences(
  queries: EvaluationQueries,
  known: ReadonlyMap<string, CompiledAudience>,
  queue: WorkQueue,
): CompiledAudienceLookup {
  const read = new Map<string, CompiledAudience>();
  return (id) => {
    const compiled = known.get(id) ?? read.get(id);
    if (compiled !== undefined) return compiled;
    const audience = queries.audience(id);
    if (audience === undefined) return undefined;
    const fresh = compileAudience(audience, queue);
    read.set(id, fresh);
    return fresh;
  };
}

/** @param known a compiled flag of the same state, if there is one: its memory is shared */
export function listFlag(
  flag: EvaluableFlag,
  project: Project,
  audienceById: CompiledAudienceLookup,
  queue: WorkQueue,
  known: CompiledFlag | undefined,
): ListedFlag {
  const compiled = known ?? compileEvaluable(flag, project, audienceById, { queue });
  return { name: Buffer.from(flag.name), compiled };
}

/** Counts the memory of a list, each audience once. */
export class ListSize {
  readonly #audiences = new Set<CompiledAudience>();
  bytes = 0;

  add({ name, compiled }: ListedFlag): void {
    this.bytes += placeBytes + name.length + compiled.sizeBytes;
    for (const audience of compiled.audiences) {
      if (this.#audiences.has(audience)) continue;
      this.#audiences.add(audience);
      this.bytes += audience.sizeBytes;
    }
  }
}

/** @returns below 0 when `one` comes first */
function compareListed(one: ListedFlag, other: ListedFlag): number {
  const byName = Buffer.compare(one.name, other.name);
  if (byName !== 0) return byName;
  return one.compiled.id < other.compiled.id ? -1 : Number(one.compiled.id > other.compiled.id);
}

/** @returns the list as it is after these flags became what `flagOf` says; undefined: there is none of that id */
export function mendList(
  list: ProjectList,
  changed: ReadonlySet<string>,
  flagOf: (id: string) => ListedFlag | undefined,
): ProjectList {
  const kept = list.flags.filter(({ compiled }) => !changed.has(compiled.id));
  const fresh = [...changed].map(flagOf).filter((flag) => flag !== undefined);
  const flags = mergeSorted(kept, fresh.sort(compareListed));
  const size = new ListSize();
  for (const flag of flags) size.add(flag);
  return { project: list.project, flags, sizeBytes: size.bytes };
}

function mergeSorted(many: readonly ListedFlag[], few: readonly ListedFlag[]): ListedFlag[] {
  const merged: ListedFlag[] = [];
  let taken = 0;
  for (const flag of few) {
    const place = placeOf(flag, many, taken);
    for (; taken < place; taken += 1) merged.push(many[taken] as ListedFlag);
    merged.push(flag);
  }
  for (; taken < many.length; taken += 1) merged.push(many[taken] as ListedFlag);
  return merged;
}

/** @returns the index in `flags`, from `low` on, before which `flag` belongs */
function placeOf(flag: ListedFlag, flags: readonly ListedFlag[], low: number): number {
  let [start, end] = [low, flags.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (compareListed(flags[middle] as ListedFlag, flag) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}
