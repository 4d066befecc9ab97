import type { Audience } from '../domain/evaluation/audience.ts';
import { type AudienceLookup, type CompiledFlag, compileFlag } from '../domain/evaluation/compiled-flag.ts';
import type { Flag } from '../domain/flag/flag.ts';
import type { Project } from '../domain/project/project.ts';
import type { RecordQueries } from '../domain/record-queries.ts';

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

/** Reads each audience once, so that flags which apply the same one share its compiled rules. */
export function rememberAudiences(queries: RecordQueries, known: Map<string, Audience>): AudienceLookup {
  return (id) => {
    const audience = known.get(id) ?? queries.audience(id);
    if (audience !== undefined) known.set(id, audience);
    return audience;
  };
}

/** @param known a compiled flag of the same state, if there is one: its memory is shared */
export function listFlag(
  flag: Flag,
  project: Project,
  audienceById: AudienceLookup,
  known: CompiledFlag | undefined,
): ListedFlag {
  const compiled = known ?? compileFlag(flag, project, audienceById);
  return { name: Buffer.from(flag.name), compiled };
}

export function listedBytes({ name, compiled }: ListedFlag): number {
  return placeBytes + name.length + compiled.sizeBytes;
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
  const sizeBytes = flags.reduce((sum, flag) => sum + listedBytes(flag), 0);
  return { project: list.project, flags, sizeBytes };
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
