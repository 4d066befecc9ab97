import type { CompiledAudience } from '../../domain/evaluation/compiled-audience.ts';
import { type CompiledFlag, compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import type { EvaluableFlag } from '../../domain/evaluation/evaluable-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import type { FoundRecord } from '../../storage/evaluation-reader.ts';
import type { PinnedSnapshot } from '../../storage/store-reader.ts';
import type { Steps } from '../../support/steps.ts';
import { AudienceReading } from './audience-reading.ts';
import { sizeOfProject } from './project-size.ts';

export interface ListedFlag {
  /** The name in UTF-8, by which the list is ordered. */
  readonly name: Buffer;
  readonly compiled: CompiledFlag;
}

/** Every flag of a project, compiled, by name (UTF-8 order), then id: one consistent state, immutable. */
export interface ProjectList {
  readonly project: Project;
  readonly flags: readonly ListedFlag[];
  readonly sizeBytes: number;
}

/** Bytes of a flag's place in a list, beside the compiled flag. */
const placeBytes = 200;

/** Sums the memory of a list with its project, each audience once. */
export class ListSize {
  readonly #audiences = new Set<CompiledAudience>();
  bytes: number;

  constructor(project: Project) {
    this.bytes = sizeOfProject(project);
  }

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

/** A step ends after this many flags, or this many bytes of records: some tenths of a millisecond. */
const stepFlags = 8;
const stepBytes = 64 * 1024;
/** Flags that a step only moves to their places: a tenth of a millisecond. */
const placedFlags = 512;

/** The snapshot that a build reads, and the flags that it must not take from the cache. */
export interface ListView {
  readonly project: Project;
  readonly snapshot: PinnedSnapshot;
  /** Flags that changed since the snapshot. */
  readonly changed: ReadonlySet<string>;
  /** Receives each flag of the list, and sums what has been made so far. */
  readonly size: ListSize;
}

/** Returns a flag that is compiled already. */
export type KnownFlag = (flagId: string) => CompiledFlag | undefined;

/** Reads flags of one view one after the other, a few in a step. */
class ListReading {
  readonly #view: ListView;
  readonly #knownFlag: KnownFlag;
  readonly #audiences: AudienceReading;
  #flags = 0;
  #bytes = 0;

  constructor(view: ListView, knownFlag: KnownFlag) {
    this.#view = view;
    this.#knownFlag = knownFlag;
    this.#audiences = new AudienceReading(view.snapshot.evaluation);
  }

  *read(found: FoundRecord<EvaluableFlag>): Steps<ListedFlag> {
    const flag = found.read();
    const compiled = this.#knownOf(flag) ?? this.#compile(flag);
    this.#flags += 1;
    this.#bytes += found.bytes;
    if (this.#flags === stepFlags || this.#bytes >= stepBytes) {
      this.#flags = 0;
      this.#bytes = 0;
      yield;
    }
    return { name: Buffer.from(flag.name), compiled };
  }

  /** A flag from the cache shares its memory. One that changed is not taken: its state is not the view's. */
  #knownOf({ id }: EvaluableFlag): CompiledFlag | undefined {
    return this.#view.changed.has(id) ? undefined : this.#knownFlag(id);
  }

  #compile(flag: EvaluableFlag): CompiledFlag {
    this.#audiences.readAllOf(flag);
    const audienceById = (id: string) => this.#audiences.find(id);
    return compileEvaluable(flag, this.#view.project, audienceById);
  }
}

/** Reads a whole list. @returns null when it would be larger than `bytesMax` */
export function* readList(view: ListView, knownFlag: KnownFlag, bytesMax: number): Steps<ProjectList | null> {
  const reading = new ListReading(view, knownFlag);
  const flags: ListedFlag[] = [];
  const { size } = view;
  for (const found of view.snapshot.evaluation.flagsOf(view.project.id)) {
    const listed = yield* reading.read(found);
    flags.push(listed);
    size.add(listed);
    if (size.bytes > bytesMax) return null;
  }
  return { project: view.project, flags, sizeBytes: size.bytes };
}

/** @returns the list in the view's state; only the stale flags are read again */
export function* mendList(
  list: ProjectList,
  stale: ReadonlySet<string>,
  view: ListView,
  knownFlag: KnownFlag,
): Steps<ProjectList> {
  const reading = new ListReading(view, knownFlag);
  const fresh: ListedFlag[] = [];
  for (const id of stale) {
    const found = view.snapshot.evaluation.flag(id);
    const listed = found === undefined ? undefined : yield* reading.read(found);
    if (listed !== undefined) fresh.push(listed);
  }
  fresh.sort(compareListed);
  const flags = yield* merged(list.flags, stale, fresh, view.size);
  return { project: list.project, flags, sizeBytes: view.size.bytes };
}

/** Merges a few fresh flags into many, of which the stale ones are left out. */
function* merged(
  many: readonly ListedFlag[],
  stale: ReadonlySet<string>,
  few: readonly ListedFlag[],
  size: ListSize,
): Steps<readonly ListedFlag[]> {
  const flags: ListedFlag[] = [];
  const put = (flag: ListedFlag): void => {
    flags.push(flag);
    size.add(flag);
  };
  let at = 0;
  for (let next = 0; next <= few.length; next += 1) {
    const flag = few[next];
    const place = flag === undefined ? many.length : placeOf(flag, many, at);
    for (; at < place; at += 1) {
      const kept = many[at] as ListedFlag;
      if (!stale.has(kept.compiled.id)) put(kept);
      if (at % placedFlags === 0) yield;
    }
    if (flag !== undefined) put(flag);
  }
  return flags;
}

/** @returns the index in `flags`, not below `low`, before which `flag` belongs */
function placeOf(flag: ListedFlag, flags: readonly ListedFlag[], low: number): number {
  let [start, end] = [low, flags.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (compareListed(flags[middle] as ListedFlag, flag) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}
