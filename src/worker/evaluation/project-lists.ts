import type { CompiledAudience } from '../../domain/evaluation/compiled-audience.ts';
import { type CompiledFlag, compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import type { FlagPlace } from '../../domain/record-queries.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import { AudienceReading } from './audience-reading.ts';
import { sizeOfProject } from './project-size.ts';

export interface ListedFlag {
  /** The name in UTF-8, by which the list is ordered. */
  readonly name: Buffer;
  readonly compiled: CompiledFlag;
}

/** Every flag of a project, compiled, by name (UTF-8 order), then id. Immutable. */
export interface ProjectList {
  readonly project: Project;
  readonly flags: readonly ListedFlag[];
  readonly sizeBytes: number;
}

export interface ProjectListsHooks {
  /** Returns a flag compiled in the state that was last given to `forget…`, or undefined when it is not compiled. */
  knownFlag(flagId: string): CompiledFlag | undefined;
  /** Called when a list was dropped to make room. */
  onEviction(): void;
}

interface KeptList {
  list: ProjectList;
  /** Flags that changed since they were compiled for it: they are read again before the list is used. */
  readonly changed: Set<string>;
}

/** Beyond this many changed flags the whole list is built again, in steps. */
const changedMax = 100;
/** A step of a build ends after this many flags, or this many bytes of compiled flags: some tenths of a millisecond. */
const [stepFlags, stepBytes] = [8, 64 * 1024];
/** Bytes of a flag's place in a list, without the compiled flag. */
const placeBytes = 200;
const tooLargeMax = 10_000;

/**
 * The compiled lists of projects that are evaluated as a whole, bounded in bytes; the least recently used is dropped
 * first. A changed flag is read again; a changed project loses its list.
 */
export class ProjectLists {
  readonly #reader: StoreReader;
  readonly #hooks: ProjectListsHooks;
  readonly #bytesMax: number;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #kept = new Map<string, KeptList>();
  readonly #builds = new Map<string, ListBuild>();
  /** Projects whose list is larger than all lists may be. */
  readonly #tooLarge = new Set<string>();
  #bytes = 0;

  constructor(reader: StoreReader, hooks: ProjectListsHooks, bytesMax: number) {
    this.#reader = reader;
    this.#hooks = hooks;
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Memory of the lists that are being built. */
  get bytesBuilt(): number {
    let bytes = 0;
    for (const build of this.#builds.values()) bytes += build.size.bytes;
    return bytes;
  }

  /** @returns the list with every change that was given to `forget…`; undefined: it has to be built first */
  find(projectId: string): ProjectList | undefined {
    const kept = this.#kept.get(projectId);
    if (kept === undefined) return undefined;
    if (kept.changed.size > 0) this.#mend(kept);
    // Now the most recently used.
    this.#kept.delete(projectId);
    this.#kept.set(projectId, kept);
    return kept.list;
  }

  #mend(kept: KeptList): void {
    const { list, changed } = kept;
    const reading = new ListReading(this.#reader, list.project, this.#hooks);
    const fresh = [...changed].flatMap((id) => reading.read(id, null) ?? []).sort(compareListed);
    const mended = listOf(list.project, merged(list.flags, changed, fresh));
    this.#bytes += mended.sizeBytes - list.sizeBytes;
    kept.list = mended;
    changed.clear();
    this.#evict();
  }

  /**
   * The build of a project's list, which all requests for it share: the request that comes first makes the next step.
   * It ends early when the project changes.
   * @returns null when the list is too large to be kept, or the project is gone
   */
  build(projectId: string): ListBuild | null {
    if (this.#tooLarge.has(projectId)) return null;
    const underWay = this.#builds.get(projectId);
    if (underWay !== undefined) return underWay;
    const project = this.#reader.queries.project(projectId);
    if (project === undefined) return null;
    const build = new ListBuild(this.#reader, project, this.#hooks);
    this.#builds.set(projectId, build);
    return build;
  }

  /** Makes a step of a build, and keeps the list once it is complete. */
  step(projectId: string, build: ListBuild): void {
    try {
      if (!build.isDone) build.step();
    } finally {
      if (build.isDone && this.#builds.get(projectId) === build) this.#builds.delete(projectId);
    }
    if (build.size.bytes > this.#bytesMax) this.#noteTooLarge(projectId, build);
    else if (build.list !== null && !this.#kept.has(projectId)) this.#keep(projectId, build, build.list);
    else this.#endLargest();
  }

  #noteTooLarge(projectId: string, build: ListBuild): void {
    build.end();
    this.#builds.delete(projectId);
    if (this.#tooLarge.size >= tooLargeMax) this.#tooLarge.clear();
    this.#tooLarge.add(projectId);
  }

  #keep(projectId: string, { changed }: ListBuild, list: ProjectList): void {
    this.#kept.set(projectId, { list, changed });
    this.#bytes += list.sizeBytes;
    this.#evict();
  }

  /** All builds together may take as much memory as the kept lists, including builds that no request continues any more. */
  #endLargest(): void {
    if (this.bytesBuilt <= this.#bytesMax) return;
    const [largest] = [...this.#builds].sort(([, one], [, other]) => other.size.bytes - one.size.bytes);
    if (largest === undefined) return;
    this.#builds.delete(largest[0]);
    largest[1].end();
  }

  /** A flag was created, changed or removed. */
  forgetFlag(projectId: string, flagId: string): void {
    this.#builds.get(projectId)?.changed.add(flagId);
    const kept = this.#kept.get(projectId);
    if (kept === undefined) return;
    kept.changed.add(flagId);
    if (kept.changed.size > changedMax) this.#drop(projectId);
  }

  /** A project, or an audience of it, changed. */
  forgetProject(projectId: string): void {
    this.#builds.get(projectId)?.end();
    this.#builds.delete(projectId);
    this.#tooLarge.delete(projectId);
    this.#drop(projectId);
  }

  forgetAll(): void {
    for (const build of this.#builds.values()) build.end();
    this.#builds.clear();
    this.#tooLarge.clear();
    this.#kept.clear();
    this.#bytes = 0;
  }

  #drop(projectId: string): void {
    this.#bytes -= this.#kept.get(projectId)?.list.sizeBytes ?? 0;
    this.#kept.delete(projectId);
  }

  #evict(): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#drop(oldest);
      this.#hooks.onEviction();
    }
  }
}

/** A list that is being built. No snapshot is held: flags that change meanwhile are noted, and read again at the end. */
export class ListBuild {
  readonly #project: Project;
  readonly #reading: ListReading;
  readonly #places: Iterator<FlagPlace>;
  readonly #flags: ListedFlag[] = [];
  readonly size: ListSize;
  /** Flags that changed since the build began. */
  readonly changed = new Set<string>();
  isDone = false;
  /** The list, once it is done; null when the build ended early. */
  list: ProjectList | null = null;

  constructor(reader: StoreReader, project: Project, hooks: ProjectListsHooks) {
    this.#project = project;
    this.#reading = new ListReading(reader, project, hooks);
    const places = [...reader.queries.flagPlacesOf(project.id)];
    this.#places = places.values();
    this.size = new ListSize(project, places.length);
  }

  /** @throws what reading the store throws; the build is then over */
  step(): void {
    const bytesBefore = this.size.bytes;
    try {
      for (let read = 0; read < stepFlags && this.size.bytes - bytesBefore < stepBytes; read += 1) {
        const place = this.#places.next();
        if (place.done === true) {
          this.list = { project: this.#project, flags: this.#flags, sizeBytes: this.size.bytes };
          this.end();
          return;
        }
        // A flag that is gone by now has been noted as changed.
        const listed = this.#reading.read(place.value.id, place.value.name);
        if (listed === undefined) continue;
        this.#flags.push(listed);
        this.size.add(listed);
      }
    } catch (fault) {
      this.end();
      throw fault;
    }
  }

  end(): void {
    this.isDone = true;
  }
}

/** Reads flags of a project in the reader's present state. */
class ListReading {
  readonly #reader: StoreReader;
  readonly #project: Project;
  readonly #hooks: ProjectListsHooks;
  readonly #audiences: AudienceReading;

  constructor(reader: StoreReader, project: Project, hooks: ProjectListsHooks) {
    this.#reader = reader;
    this.#project = project;
    this.#hooks = hooks;
    this.#audiences = new AudienceReading(reader.evaluation);
  }

  /**
   * A flag that is compiled already shares its memory.
   * @param name null: not known
   * @returns undefined when the project has no such flag
   */
  read(id: string, name: string | null): ListedFlag | undefined {
    const known = this.#hooks.knownFlag(id);
    if (known !== undefined && name !== null) return { name: Buffer.from(name), compiled: known };
    const flag = this.#reader.evaluation.flag(id)?.read();
    if (flag?.projectId !== this.#project.id) return undefined;
    this.#audiences.readAllOf(flag);
    const compiled = compileEvaluable(flag, this.#project, (audienceId) => this.#audiences.find(audienceId));
    return { name: Buffer.from(flag.name), compiled };
  }
}

/** Sums the memory of a list with its project, each audience once. */
class ListSize {
  readonly #audiences = new Set<CompiledAudience>();
  bytes: number;

  constructor(project: Project, flagCount: number) {
    this.bytes = sizeOfProject(project) + flagCount * placeBytes;
  }

  add({ name, compiled }: ListedFlag): void {
    this.bytes += name.length + compiled.sizeBytes;
    for (const audience of compiled.audiences) {
      if (this.#audiences.has(audience)) continue;
      this.#audiences.add(audience);
      this.bytes += audience.sizeBytes;
    }
  }
}

function listOf(project: Project, flags: readonly ListedFlag[]): ProjectList {
  const size = new ListSize(project, flags.length);
  for (const flag of flags) size.add(flag);
  return { project, flags, sizeBytes: size.bytes };
}

/** @returns below 0 when `one` comes first */
function compareListed(one: ListedFlag, other: ListedFlag): number {
  const byName = Buffer.compare(one.name, other.name);
  if (byName !== 0) return byName;
  return one.compiled.id < other.compiled.id ? -1 : Number(one.compiled.id > other.compiled.id);
}

/** Merges a few fresh flags into many, of which the stale ones are left out. Both are in the order of the list. */
function merged(
  many: readonly ListedFlag[],
  stale: ReadonlySet<string>,
  fresh: readonly ListedFlag[],
): readonly ListedFlag[] {
  const flags: ListedFlag[] = [];
  let next = 0;
  for (const flag of many) {
    if (stale.has(flag.compiled.id)) continue;
    for (; next < fresh.length; next += 1) {
      const candidate = fresh[next] as ListedFlag;
      if (compareListed(candidate, flag) > 0) break;
      flags.push(candidate);
    }
    flags.push(flag);
  }
  return [...flags, ...fresh.slice(next)];
}
