import { compileFlag } from '../domain/evaluation/compiled-flag.ts';
import type { Flag } from '../domain/flag/flag.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { type CachedFlag, type CachedProject, FlagCache } from './flag-cache.ts';

/**
 * Compiled flags as of the newest acknowledged change. `refresh` is called at the start of each batch: one atomic load
 * when nothing moved. There is no stale window, because the writer raises the version before it acknowledges.
 */
export class FlagSource {
  readonly cache: FlagCache;
  readonly #reader: StoreReader;
  readonly #version: Int32Array<SharedArrayBuffer>;
  #versionSeen: number;
  #sequenceSeen: number;

  constructor(reader: StoreReader, storeVersion: SharedArrayBuffer, cacheBytes: number) {
    this.cache = new FlagCache(cacheBytes);
    this.#reader = reader;
    this.#version = new Int32Array(storeVersion);
    this.#versionSeen = Atomics.load(this.#version, 0);
    this.#sequenceSeen = reader.sequence();
  }

  /** Moves the snapshot and forgets what changed, if the store has moved since the last call. */
  refresh(): void {
    const version = Atomics.load(this.#version, 0);
    if (version === this.#versionSeen) return;
    this.#versionSeen = version;
    this.#reader.renew();
    this.#forgetChanged();
  }

  /** Lets the snapshot go, so that an idle evaluator pins no pages. The next look-up opens a new one. */
  release(): void {
    this.#reader.renew();
  }

  #forgetChanged(): void {
    const changes = this.#reader.changesSince(this.#sequenceSeen);
    this.#sequenceSeen = this.#reader.sequence();
    if (changes === null) {
      this.cache.clear();
      return;
    }
    for (const change of changes) {
      if (change.kind === 'everything') this.cache.clear();
      else if (change.kind === 'project') this.cache.dropProject(change.projectId);
      else this.cache.dropFlag(change.id);
    }
  }

  /** @returns the compiled flag, from the cache or freshly compiled, or undefined when no flag has this id. */
  find(flagId: string): CachedFlag | undefined {
    return this.cache.find(flagId) ?? this.#load(flagId);
  }

  #load(flagId: string): CachedFlag | undefined {
    const flag = this.#reader.queries.flag(flagId);
    if (flag === undefined) return undefined;
    return this.#compile(flag, this.#reader.queries);
  }

  #compile(flag: Flag, queries: RecordQueries): CachedFlag {
    const cachedProject = this.#findProject(flag.projectId, queries);
    const compiled = compileFlag(flag, cachedProject.project, (id) => queries.audience(id));
    return this.cache.add(compiled, cachedProject);
  }

  #findProject(projectId: string, queries: RecordQueries): CachedProject {
    const known = this.cache.findProject(projectId);
    if (known !== undefined) return known;
    const project = queries.project(projectId);
    if (project === undefined) throw new Error(`project ${projectId} is missing, but has a flag`);
    return this.cache.addProject(project);
  }
}
