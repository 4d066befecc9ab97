import { compileEvaluable } from '../domain/evaluation/compiled-flag.ts';
import type { ChangeLogEntry } from '../storage/records/change-log-record.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { SliceQueue } from '../support/slice-queue.ts';
import { isUnsettled, StoreVersion } from '../support/store-version.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import { type CachedFlag, type CachedProject, FlagCache } from './flag-cache.ts';
import type { PinRoom } from './pin-room.ts';
import { type ProjectList, rememberAudiences } from './project-list.ts';
import { ProjectLists } from './project-lists.ts';

/** The share of the memory for compiled flags that lists of whole projects may take. */
const listsShare = 0.25;
/** Lists that wait for their index, and the share of the memory for compiled flags that they may hold back. */
const queuedMax = 4096;
const queuedShare = 0.25;
/** For each byte in use V8 keeps about another one, free or not collected yet: the setting bounds both. */
const bytesKeptPerByte = 2;

/** What a source tells, and asks, of the worker that it belongs to. */
export interface FlagSourceHooks {
  /** There is something to do between events, for `runSlice`. */
  readonly onWork?: () => void;
  readonly pins?: PinRoom;
}

const anyRoom: PinRoom = { take: () => true, give: () => undefined };

/**
 * Compiled flags as of the newest acknowledged change. `refresh` is called for each request: one atomic load when
 * nothing moved. There is no stale window, because the version moves before a commit is acknowledged; and nobody sees
 * the old state once somebody has seen the new one, because it is unsettled from before the commit can be seen.
 */
export class FlagSource {
  readonly cache: FlagCache;
  readonly lists: ProjectLists;
  readonly #reader: StoreReader;
  readonly #version: StoreVersion;
  readonly #queue: SliceQueue;
  readonly #meter: EvaluationMeter;
  #versionSeen: number;
  #sequenceSeen: number;

  constructor(
    reader: StoreReader,
    storeVersion: SharedArrayBuffer,
    cacheBytes: number,
    meter: EvaluationMeter,
    { onWork, pins = anyRoom }: FlagSourceHooks = {},
  ) {
    const bytesMax = cacheBytes / bytesKeptPerByte;
    this.cache = new FlagCache(bytesMax * (1 - listsShare), (flags) => meter.countEvictions(flags));
    this.#queue = new SliceQueue(queuedMax, bytesMax * queuedShare, onWork);
    const hooks = {
      queue: this.#queue,
      pins,
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
    this.#reader.renew();
    this.#forgetChanged();
    // Last: when the changes cannot be read, the next request has to look again.
    this.#versionSeen = version;
  }

  /** Lets the snapshot go, so that an idle worker pins no pages. The next look-up opens a new one. */
  release(): void {
    this.#reader.renew();
  }

  /**
   * Does what can wait, in steps of some tens of microseconds until the time is over: indexes for long lists that are
   * asked for again and again, which are looked through until then, and memory for the next long records.
   * @returns whether more waits
   */
  runSlice(budgetMs: number): boolean {
    return this.#queue.run(budgetMs);
  }

  /** Whether `runSlice` has something to do. */
  get hasSlices(): boolean {
    return !this.#queue.isEmpty;
  }

  #forgetChanged(): void {
    const changes = this.#reader.changesSince(this.#sequenceSeen);
    if (changes === null) this.#forgetAll();
    else for (const change of changes) this.#forget(change);
    this.#sequenceSeen = this.#reader.sequence();
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
    const startedAt = performance.now();
    const loaded = this.#load(flagId);
    this.#meter.countMiss(loaded === undefined);
    this.#meter.observeStep(performance.now() - startedAt);
    return loaded;
  }

  #load(flagId: string): CachedFlag | undefined {
    if (!isIdShaped(flagId)) return undefined;
    const { evaluation, spareMemory } = this.#reader;
    // The snapshot may be newer than what was forgotten: a flag is never compiled with a project of before.
    if (this.#reader.sequence() !== this.#sequenceSeen) this.#forgetChanged();
    const flag = evaluation.flag(flagId);
    if (flag === undefined) return undefined;
    if (spareMemory.isShort) this.#queue.add(spareMemory);
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
