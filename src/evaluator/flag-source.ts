import { compileFlag } from '../domain/evaluation/compiled-flag.ts';
import type { Flag } from '../domain/flag/flag.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { ChangeLogEntry } from '../storage/records/change-log-record.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { isUnsettled, StoreVersion } from '../support/store-version.ts';
import type { EvaluatorMeter } from './evaluator-meter.ts';
import { type CachedFlag, type CachedProject, FlagCache } from './flag-cache.ts';
import { type ProjectList, rememberAudiences } from './project-list.ts';
import { ProjectLists } from './project-lists.ts';

/** The share of the memory for compiled flags that lists of whole projects may take. */
const listsShare = 0.25;
/** For each byte in use V8 keeps about another one, free or not collected yet: the setting bounds both. */
const bytesKeptPerByte = 2;

/**
 * Compiled flags as of the newest acknowledged change. `refresh` is called at the start of each batch: one atomic load
 * when nothing moved. There is no stale window, because the version moves before a commit is acknowledged; and nobody sees
 * the old state once somebody has seen the new one, because it is unsettled from before the commit can be seen.
 */
export class FlagSource {
  readonly cache: FlagCache;
  readonly lists: ProjectLists;
  readonly #reader: StoreReader;
  readonly #version: StoreVersion;
  readonly #meter: EvaluatorMeter;
  #versionSeen: number;
  #sequenceSeen: number;

  constructor(
    reader: StoreReader,
    storeVersion: SharedArrayBuffer,
    cacheBytes: number,
    meter: EvaluatorMeter,
  ) {
    const bytesMax = cacheBytes / bytesKeptPerByte;
    this.cache = new FlagCache(bytesMax * (1 - listsShare), (flags) => meter.countEvictions(flags));
    const hooks = {
      knownFlag: (id: string) => this.cache.peek(id),
      onEviction: () => meter.countListEviction(),
    };
    this.lists = new ProjectLists(reader, hooks, bytesMax * listsShare);
    this.#meter = meter;
    this.#reader = reader;
    this.#version = new StoreVersion(storeVersion);
    this.#versionSeen = this.#version.load();
    this.#sequenceSeen = reader.sequence();
  }

  /** Moves the snapshot and forgets what changed, if the store has moved since the last call, or is about to. */
  refresh(): void {
    const version = this.#version.load();
    if (version === this.#versionSeen && !isUnsettled(version)) return;
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
    if (changes === null) this.#forgetAll();
    else for (const change of changes) this.#forget(change);
  }

  #forget({ kind, projectId, id }: ChangeLogEntry): void {
    if (kind === 'everything') this.#forgetAll();
    else if (kind === 'project') {
      this.cache.dropProject(projectId);
      this.lists.forgetProject(projectId);
    } else {
      this.cache.dropFlag(id);
      this.lists.forgetFlag(projectId, id);
    }
  }

  #forgetAll(): void {
    this.cache.clear();
    this.lists.forgetAll();
  }

  /** @returns every flag of a project, compiled, as of the newest acknowledged change; undefined: to be built first */
  findList(projectId: string): ProjectList | undefined {
    this.refresh();
    // A snapshot that was opened since may know of a commit that is not announced yet: all flags of a list know of it,
    // or none.
    if (this.#reader.sequence() !== this.#sequenceSeen) this.#forgetChanged();
    return this.lists.find(projectId, this.#reader.queries);
  }

  /** @returns the compiled flag, from the cache or freshly compiled, or undefined when no flag has this id. */
  find(flagId: string): CachedFlag | undefined {
    const known = this.cache.find(flagId);
    if (known !== undefined) {
      this.#meter.countHit();
      return known;
    }
    const loaded = this.#load(flagId);
    this.#meter.countMiss(loaded === undefined);
    return loaded;
  }

  #load(flagId: string): CachedFlag | undefined {
    const flag = this.#reader.queries.flag(flagId);
    if (flag === undefined) return undefined;
    return this.#compile(flag, this.#reader.queries);
  }

  #compile(flag: Flag, queries: RecordQueries): CachedFlag {
    const cachedProject = this.#findProject(flag.projectId, queries);
    const compiled = compileFlag(
      flag,
      cachedProject.project,
      rememberAudiences(queries, cachedProject.audiences),
    );
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
