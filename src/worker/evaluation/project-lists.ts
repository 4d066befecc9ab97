import type { Project } from '../../domain/project/project.ts';
import type { PinnedSnapshot, StoreReader } from '../../storage/store-reader.ts';
import { ListBuild } from './list-build.ts';
import type { PinRoom } from './pin-room.ts';
import { type KnownFlag, type ListView, mendList, type ProjectList, readList } from './project-list.ts';

export interface ProjectListsHooks {
  /** Returns a flag compiled in the state that was last given to `forget…`, or undefined when it is not compiled. */
  readonly knownFlag: KnownFlag;
  /** The room for snapshots: each build has one of its own. */
  readonly pins: PinRoom;
  /** @returns whose share the project takes */
  accountOf(project: Project): string;
  /** Called when a list was dropped to make room. */
  onEviction(): void;
}

interface KeptList {
  readonly list: ProjectList;
  /** The newest change that the list contains, by its number. */
  readonly sequence: number;
  /** Flags that changed since: they are read again before the list is used as the newest. */
  readonly changed: Set<string>;
}

/** Up to this many changed flags are read again one by one; beyond it, the whole list is. */
const changedMax = 1000;
const tooLargeMax = 10_000;

/**
 * The compiled lists of projects that are evaluated as a whole, bounded in bytes; the least recently used is dropped
 * first. A changed flag is mended in its list; a changed project loses its list.
 */
export class ProjectLists {
  readonly #reader: StoreReader;
  readonly #hooks: ProjectListsHooks;
  readonly #bytesMax: number;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #kept = new Map<string, KeptList>();
  readonly #builds = new Map<string, ListBuild>();
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

  /**
   * @param since number of a change
   * @returns the list of that state or a later one, or with every change that was given to `forget…`; undefined: it has
   * to be built first
   */
  find(projectId: string, since: number): ProjectList | undefined {
    const kept = this.#kept.get(projectId);
    if (kept === undefined) return undefined;
    this.#kept.delete(projectId);
    this.#kept.set(projectId, kept);
    return kept.changed.size === 0 || kept.sequence >= since ? kept.list : undefined;
  }

  /** Memory of the lists that are being built. */
  get bytesBuilt(): number {
    let bytes = 0;
    for (const build of this.#builds.values()) bytes += build.bytes;
    return bytes;
  }

  /** Builds under way: each holds a snapshot and the part of the list that is made. */
  get builds(): number {
    return this.#builds.size;
  }

  /**
   * The build of a project's list, under way or begun now. If a list is kept, the build mends it: only changed flags
   * are read. A request joins the build, steps it until it is done, leaves it here and then looks again: a build ends
   * early when its project changes, and one that was under way may be of a state that is too old.
   * @returns null when the list is too large to be kept, the project is gone, or there is no room for a snapshot
   */
  build(projectId: string): ListBuild | null {
    if (this.#tooLarge.has(projectId)) return null;
    const underWay = this.#builds.get(projectId);
    if (underWay !== undefined && !underWay.isDone) return underWay;
    const project = this.#reader.queries.project(projectId);
    const snapshot = project === undefined ? null : this.#pin(project);
    if (project === undefined || snapshot === null) return null;
    const build = new ListBuild(project, snapshot, this.#reader.sequence(), this.#making(projectId));
    this.#builds.set(projectId, build);
    return build;
  }

  #making(projectId: string) {
    const { knownFlag } = this.#hooks;
    const kept = this.#kept.get(projectId);
    if (kept === undefined) return (view: ListView) => readList(view, knownFlag, this.#bytesMax);
    const stale = new Set(kept.changed);
    return (view: ListView) => mendList(kept.list, stale, view, knownFlag);
  }

  /** @returns a snapshot that gives its place back when it is released; null when the process has no place for one */
  #pin(project: Project): PinnedSnapshot | null {
    const { pins, accountOf } = this.#hooks;
    const organisation = accountOf(project);
    const place = pins.take({ asker: null, project: project.id, organisation, address: null });
    if (place === null) return null;
    try {
      const { release, ...snapshot } = this.#reader.pin();
      let isReleased = false;
      return {
        ...snapshot,
        release: () => {
          release();
          if (!isReleased) pins.give(place);
          isReleased = true;
        },
      };
    } catch (fault) {
      pins.give(place);
      throw fault;
    }
  }

  /** Makes a step of a build from `build`, and keeps the list once it is complete. */
  step(projectId: string, build: ListBuild): void {
    if (build.isDone) return;
    try {
      build.step();
    } finally {
      if (build.isDone && this.#builds.get(projectId) === build) this.#finish(projectId, build);
    }
    this.#crowdOut();
  }

  /** All builds together may take as much memory as the kept lists; beyond that the largest build ends. */
  #crowdOut(): void {
    if (this.#builds.size < 2) return;
    if (this.bytesBuilt <= this.#bytesMax) return;
    const [largest] = Array.from(this.#builds).sort(([, one], [, other]) => other.bytes - one.bytes);
    if (largest === undefined) return;
    this.#builds.delete(largest[0]);
    largest[1].crowdOut();
  }

  /** A request leaves a build. A build that no request waits for ends. */
  leave(projectId: string, build: ListBuild): void {
    build.leave();
    if (build.isDone && this.#builds.get(projectId) === build) this.#builds.delete(projectId);
  }

  #finish(projectId: string, { list, sequence, changed, isTooLarge }: ListBuild): void {
    this.#builds.delete(projectId);
    if (isTooLarge) {
      if (this.#tooLarge.size >= tooLargeMax) this.#tooLarge.clear();
      this.#tooLarge.add(projectId);
    } else if (list !== null) {
      this.#drop(projectId);
      this.#kept.set(projectId, { list, sequence, changed });
      this.#bytes += list.sizeBytes;
      this.#evict();
    }
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
    this.#builds.get(projectId)?.close();
    this.#builds.delete(projectId);
    this.#tooLarge.delete(projectId);
    this.#drop(projectId);
  }

  forgetAll(): void {
    for (const build of this.#builds.values()) build.close();
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
