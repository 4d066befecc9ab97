import { compileEvaluable } from '../domain/evaluation/compiled-flag.ts';
import type { ChangeLogEntry } from '../storage/records/change-log-record.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { SliceQueue } from '../support/slice-queue.ts';
import { isUnsettled, StoreVersion } from '../support/store-version.ts';
import type { EvaluatorMeter } from './evaluator-meter.ts';
import { type CachedFlag, type CachedProject, FlagCache } from './flag-cache.ts';
import { type ProjectList, rememberAudiences } from './project-list.ts';
import { ProjectLists } from './project-lists.ts';

/** The share of the memory for compiled flags that lists of whole projects may take. */
const listsShare = 0.25;
/** Lists that wait for their index, and the share of the memory for compiled flags that they may hold back. */
const queuedMax = 4096;
const queuedShare = 0.25;
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
  readonly #queue: SliceQueue;
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
    this.#queue = new SliceQueue(queuedMax, bytesMax * queuedShare);
    const hooks = {
      queue: this.#queue,
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

  /**
   * Does what can wait, in steps of some tens of microseconds until the time is over: indexes for long lists that are
   * asked for again and again, which are looked through until then, and memory for the next long records. Call it between
   * events for as long as it returns that more waits.
   */
  runSlice(budgetMs: number): boolean {
    const { spareMemory } = this.#reader;
    if (spareMemory.isShort) this.#queue.add(spareMemory);
    return this.#queue.run(budgetMs);
  }

  /** Whether `runSlice` has something to do. */
  get hasSlices(): boolean {
    return !this.#queue.isEmpty || this.#reader.spareMemory.isShort;
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
    return this.lists.find(projectId, this.#reader.evaluation);
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
    const { evaluation } = this.#reader;
    const flag = evaluation.flag(flagId);
    if (flag === undefined) return undefined;
    const cachedProject = this.#findProject(flag.projectId);
    const { project, audiences } = cachedProject;
    const audienceById = rememberAudiences(evaluation, audiences, this.#queue);
    return this.cache.add(
      compileEvaluable(flag, project, audienceById, { queue: this.#queue }),
      cachedProject,
    );
  }

  #findProject(projectId: string): CachedProject {
    const known = this.cache.findProject(projectId);
    if (known !== undefined) return known;
    const project = this.#reader.queries.project(projectId);
    if (project === undefined) throw new Error(`project ${projectId} is missing, but has a flag`);
    return this.cache.addProject(project);
  }
}
