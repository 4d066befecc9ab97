import type { CompiledAudience } from '../../domain/evaluation/compiled-audience.ts';
import type { CompiledFlag } from '../../domain/evaluation/compiled-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import { sizeOfProject } from './project-size.ts';

/**
 * A project as compiled flags refer to it. When the project changes, this becomes stale, and so does every flag
 * compiled with it.
 */
export interface CachedProject {
  readonly project: Project;
  /** The project's flags in the cache, by id. */
  readonly audiences: Map<string, CompiledAudience>;
  /** How many flags in the cache refer to it: its memory is counted once, with the first of them. */
  flags: number;
  isStale: boolean;
}

/** A cache entry, which is also a link of the list from most to least recently used. */
export interface CachedFlag {
  readonly compiled: CompiledFlag;
  readonly cachedProject: CachedProject;
  newer: CachedFlag | null;
  older: CachedFlag | null;
}

export function sizeWithAudiences({ sizeBytes, audiences }: CompiledFlag): number {
  return audiences.reduce((sum, audience) => sum + audience.sizeBytes, sizeBytes);
}

/** The share of all memory that projects without a flag in the cache may take in addition. */
const projectsShare = 0.125;
/** The share of all memory that one flag may take from others. */
const displacedShareMax = 0.5;

/**
 * Compiled flags by id, bounded in bytes; the least recently used is dropped first. Owned by one worker. The list is
 * threaded through the entries, so a hit costs a few writes and no allocation.
 */
export class FlagCache {
  readonly #flags = new Map<string, CachedFlag>();
  readonly #projects = new Map<string, CachedProject>();
  /** Those without a flag, the one that lost its last flag first, or was added first, is dropped first. */
  readonly #flagless = new Map<string, CachedProject>();
  /** How many cached flags apply each audience: its memory is counted once. */
  readonly #audienceUses = new Map<CompiledAudience, number>();
  readonly #bytesMax: number;
  readonly #onEviction: (flags: number) => void;
  #bytes = 0;
  #flaglessBytes = 0;
  #newest: CachedFlag | null = null;
  #oldest: CachedFlag | null = null;

  /** @param onEviction receives how many flags were dropped to make room */
  constructor(bytesMax: number, onEviction: (flags: number) => void) {
    this.#bytesMax = bytesMax;
    this.#onEviction = onEviction;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns the flag, now the most recently used, or undefined when it is absent or stale. */
  find(flagId: string): CachedFlag | undefined {
    const entry = this.#flags.get(flagId);
    if (entry === undefined) return undefined;
    if (entry.cachedProject.isStale) {
      this.#remove(entry);
      return undefined;
    }
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#linkNewest(entry);
    }
    return entry;
  }

  /** @returns the compiled flag, without counting as use */
  peek(flagId: string): CompiledFlag | undefined {
    const entry = this.#flags.get(flagId);
    return entry === undefined || entry.cachedProject.isStale ? undefined : entry.compiled;
  }

  findProject(projectId: string): CachedProject | undefined {
    return this.#projects.get(projectId);
  }

  addProject(project: Project): CachedProject {
    this.dropProject(project.id);
    const entry = { project, audiences: new Map<string, CompiledAudience>(), flags: 0, isStale: false };
    this.#projects.set(project.id, entry);
    this.#keepFlagless(entry);
    return entry;
  }

  #keepFlagless(entry: CachedProject): void {
    this.#flagless.set(entry.project.id, entry);
    this.#flaglessBytes += sizeOfProject(entry.project);
    for (const oldest of this.#flagless.keys()) {
      if (this.#flaglessBytes <= this.#bytesMax * projectsShare || oldest === entry.project.id) return;
      this.dropProject(oldest);
    }
  }

  #leaveFlagless({ project }: CachedProject): void {
    if (this.#flagless.delete(project.id)) this.#flaglessBytes -= sizeOfProject(project);
  }

  /** Keeps a flag and its audiences. A flag that would displace half of all others is returned and not kept. */
  add(compiled: CompiledFlag, cachedProject: CachedProject): CachedFlag {
    const entry: CachedFlag = { compiled, cachedProject, newer: null, older: null };
    const former = this.#flags.get(compiled.id);
    if (former !== undefined) this.#remove(former);
    const ofProject = cachedProject.flags === 0 ? sizeOfProject(cachedProject.project) : 0;
    const alone = sizeWithAudiences(compiled) + ofProject;
    const isRoom = this.#bytes + alone <= this.#bytesMax;
    if (!isRoom && alone > this.#bytesMax * displacedShareMax) return entry;
    this.#flags.set(compiled.id, entry);
    this.#bytes += compiled.sizeBytes;
    this.#useProject(cachedProject);
    for (const audience of compiled.audiences) this.#useAudience(audience, cachedProject);
    this.#linkNewest(entry);
    while (this.#bytes > this.#bytesMax && this.#oldest !== null) {
      this.#remove(this.#oldest);
      this.#onEviction(1);
    }
    return entry;
  }

  dropFlag(flagId: string): void {
    const entry = this.#flags.get(flagId);
    if (entry !== undefined) this.#remove(entry);
  }

  /** Drops a project at once, and its compiled flags when they are next looked up. */
  dropProject(projectId: string): void {
    const entry = this.#projects.get(projectId);
    if (entry === undefined) return;
    entry.isStale = true;
    this.#projects.delete(projectId);
    this.#leaveFlagless(entry);
  }

  clear(): void {
    this.#flags.clear();
    this.#projects.clear();
    this.#audienceUses.clear();
    this.#bytes = 0;
    this.#flagless.clear();
    this.#flaglessBytes = 0;
    this.#newest = null;
    this.#oldest = null;
  }

  #remove(entry: CachedFlag): void {
    this.#flags.delete(entry.compiled.id);
    this.#bytes -= entry.compiled.sizeBytes;
    for (const audience of entry.compiled.audiences) this.#leaveAudience(audience, entry.cachedProject);
    this.#unlink(entry);
    this.#leaveProject(entry.cachedProject);
  }

  #useProject(cachedProject: CachedProject): void {
    if (cachedProject.flags === 0) {
      this.#leaveFlagless(cachedProject);
      this.#bytes += sizeOfProject(cachedProject.project);
    }
    cachedProject.flags += 1;
  }

  #leaveProject(cachedProject: CachedProject): void {
    cachedProject.flags -= 1;
    if (cachedProject.flags > 0) return;
    this.#bytes -= sizeOfProject(cachedProject.project);
    if (!cachedProject.isStale) this.#keepFlagless(cachedProject);
  }

  #useAudience(audience: CompiledAudience, { audiences }: CachedProject): void {
    const uses = this.#audienceUses.get(audience) ?? 0;
    this.#audienceUses.set(audience, uses + 1);
    if (uses > 0) return;
    this.#bytes += audience.sizeBytes;
    audiences.set(audience.id, audience);
  }

  #leaveAudience(audience: CompiledAudience, { audiences }: CachedProject): void {
    const uses = this.#audienceUses.get(audience) ?? 0;
    if (uses > 1) {
      this.#audienceUses.set(audience, uses - 1);
      return;
    }
    this.#audienceUses.delete(audience);
    this.#bytes -= audience.sizeBytes;
    audiences.delete(audience.id);
  }

  #unlink(entry: CachedFlag): void {
    if (entry.newer === null) this.#newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === null) this.#oldest = entry.newer;
    else entry.older.newer = entry.newer;
    entry.newer = null;
    entry.older = null;
  }

  #linkNewest(entry: CachedFlag): void {
    entry.older = this.#newest;
    if (this.#newest !== null) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }
}
