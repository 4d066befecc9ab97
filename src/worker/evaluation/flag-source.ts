import type { CompiledState } from '../../domain/evaluation/compiled-flag.ts';
import { mayIndex, stepIndexes } from '../../domain/evaluation/evaluate-flag.ts';
import type { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { accountOf, type Project } from '../../domain/project/project.ts';
import { atOnceBytes } from '../../storage/evaluation-reader.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import type { ChangeLogEntry } from '../../storage/tables/change-log.ts';
import { SliceQueue } from '../../support/slice-queue.ts';
import type { Steps } from '../../support/steps.ts';
import { isUnsettled, StoreVersion } from '../../support/store-version.ts';
import { ColdFlags } from './cold-flags.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import { type CachedFlag, type CachedProject, FlagCache } from './flag-cache.ts';
import { type ColdFlag, FlagLoads } from './flag-loads.ts';
import { FlagNames } from './flag-names.ts';
import { FlagReader, type FoundEvaluable } from './flag-reader.ts';
import type { PinRoom } from './pin-room.ts';
import type { ProjectList } from './project-list.ts';
import { ProjectLists } from './project-lists.ts';

/** The share of the memory for compiled flags that compiled lists of whole projects may take. */
const listsShare = 0.25;
/**
 * Long lists that wait for their index, and the share of the memory for compiled flags that they may keep in use
 * meanwhile.
 */
const queuedMax = 4096;
const queuedShare = 0.25;
/** For each byte in use, V8 keeps about another one that is free or not collected yet: the setting bounds both. */
const bytesKeptPerByte = 2;

/** What a source reports to its worker, and asks of it. */
export interface FlagSourceHooks {
  /** There is work for `runSlice` to do between events. */
  readonly onWork?: () => void;
  readonly pins?: PinRoom;
}

const anyRoom: PinRoom = { take: () => 0, give: () => undefined };

/**
 * Compiled flags as of the newest acknowledged change. `refresh` is called for each request: one atomic load when
 * nothing changed. There is no stale window, because the version moves before a commit is acknowledged. And after one
 * reader has seen the new state no other sees the old one, because the version is unsettled from before the commit
 * becomes visible.
 */
export class FlagSource {
  readonly cache: FlagCache;
  readonly lists: ProjectLists;
  /** Long flags, and the evaluations that wait for them. */
  readonly loads: FlagLoads;
  readonly #names = new FlagNames();
  readonly #reader: StoreReader;
  readonly #version: StoreVersion;
  readonly #queue: SliceQueue;
  readonly #meter: EvaluationMeter;
  readonly #coldFlags: ColdFlags;
  readonly #flags: FlagReader;
  /** The flag of the last request that waits for an index: its further tries are no look-ups of their own. */
  #indexing = '';
  #cold: ColdFlag = { flagId: '', projectId: '', accountId: null };
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
      accountOf: (project: Project) => this.accountOf(project),
      onEviction: () => meter.countListEviction(),
    };
    this.#coldFlags = new ColdFlags(this.cache, this.#queue);
    this.#flags = new FlagReader({
      ...{ reader, meter, cache: this.cache, coldFlags: this.#coldFlags, queue: this.#queue },
      catchUp: () => this.#catchUp(),
      refresh: () => this.refresh(),
    });
    this.loads = new FlagLoads((flagId) => this.#load(flagId), onWork ?? (() => undefined));
    this.lists = new ProjectLists(reader, hooks, bytesMax * listsShare);
    this.#meter = meter;
    this.#reader = reader;
    this.#version = new StoreVersion(storeVersion);
    this.#versionSeen = this.#version.load();
    this.#sequenceSeen = reader.sequence();
  }

  /** Renews the snapshot and forgets changed flags, if the store has changed since the last call, or is about to. */
  refresh(): boolean {
    const version = this.#version.load();
    if (version === this.#versionSeen && !isUnsettled(version)) return false;
    this.#reader.renew();
    this.#forgetChanged();
    // Last: if the changes cannot be read, the next request tries again.
    this.#versionSeen = version;
    return true;
  }

  /** The same, but while a commit is on its way the snapshot stays, which lacks the commits since it was taken. */
  refreshSettled(): void {
    if (!isUnsettled(this.#version.load())) this.refresh();
  }

  /** Releases the snapshot, so that an idle worker keeps no pages from reuse. The next look-up opens a new one. */
  release(): void {
    this.#reader.renew();
  }

  /**
   * Does deferred work in steps of some tens of microseconds until the time is over. Half of the time goes to reading
   * long flags, half to indexing long lists that are searched often; until then they are searched item by item.
   * @returns whether there is more to do
   */
  runSlice(budgetMs: number): boolean {
    const isMoreToLoad = this.#runLoads(budgetMs / 2);
    return this.#queue.run(budgetMs / 2) || isMoreToLoad;
  }

  #runLoads(budgetMs: number): boolean {
    if (this.loads.isEmpty) return false;
    this.refresh();
    return this.loads.run(budgetMs);
  }

  /** The newest change that `findList` and `find` know of, by its number. */
  get sequence(): number {
    return this.#sequenceSeen;
  }

  /** Whether `runSlice` has something to do. */
  get hasSlices(): boolean {
    return !this.#queue.isEmpty || !this.loads.isEmpty;
  }

  /** A snapshot that was just opened may already contain a commit that the version does not show yet. */
  #catchUp(): void {
    if (this.#reader.sequence() !== this.#sequenceSeen) this.#forgetChanged();
  }

  #forgetChanged(): void {
    const changes = this.#reader.changesSince(this.#sequenceSeen);
    if (changes === null) {
      this.#forgetAll();
      this.#sequenceSeen = this.#reader.sequence();
      return;
    }
    for (const change of changes) this.#forget(change);
    this.#sequenceSeen += changes.length;
  }

  #forget({ kind, projectId, id }: ChangeLogEntry): void {
    this.#names.forget(projectId);
    if (kind === 'everything') this.#forgetAll();
    else if (kind === 'project') {
      this.cache.dropProject(projectId);
      this.lists.forgetProject(projectId);
      this.loads.forgetProject(projectId);
      this.#flags.forgetProject(projectId);
    } else {
      this.cache.dropFlag(id);
      this.lists.forgetFlag(projectId, id);
      this.loads.forgetFlag(id);
      this.#flags.forgetFlag(id);
    }
  }

  #forgetAll(): void {
    this.#names.forgetAll();
    this.cache.clear();
    this.lists.forgetAll();
    this.loads.forgetAll();
    this.#coldFlags.forgetAll();
    this.#flags.forgetAll();
  }

  /**
   * @param since number of a change: a list of that state or a later one will do; by default the newest acknowledged
   * state
   * @returns every flag of a project, compiled; undefined: the list has to be built or mended first
   */
  findList(projectId: string, since = Number.POSITIVE_INFINITY): ProjectList | undefined {
    this.refresh();
    // Either all flags of a list know of a commit, or none does.
    this.#catchUp();
    return this.lists.find(projectId, since);
  }

  /** @returns the ids of the flags of this name: at most two, because a second one shows that it is not unique */
  idsByName(projectId: string, name: string): readonly string[] {
    return this.#names.find(projectId, name, () => {
      this.#catchUp();
      const ids: string[] = [];
      for (const { id } of this.#reader.queries.flagPlacesOf(projectId, name)) {
        if (ids.push(id) === 2) break;
      }
      return ids;
    });
  }

  findProject(projectId: string): CachedProject | undefined {
    return this.#flags.findProject(projectId);
  }

  /** @returns whose share the project takes, with its other projects */
  accountOf(project: Project): string {
    return accountOf(project, (id) => this.#reader.queries.member(id));
  }

  /**
   * @returns the compiled flag, from the cache or read at once; undefined when no flag has this id; null when its
   * record is too long for that: then the request waits for `cold` in `loads`
   */
  find(flagId: string): CachedFlag | undefined | null {
    const known = this.cache.find(flagId);
    if (known === undefined) return this.#findUnknown(flagId);
    if (flagId !== this.#indexing) this.#meter.countHit();
    return known;
  }

  /**
   * Makes some steps of the index of a long list, for a request with so many values that its evaluation would make the
   * whole index at once.
   * @returns whether there is more to do: then the request waits for `cold` in `loads`, and tries again
   */
  stepIndex(
    { compiled, cachedProject }: CachedFlag,
    state: CompiledState,
    context: EvaluationContext,
  ): boolean {
    if (!mayIndex(context) || !stepIndexes(state, context)) {
      this.#indexing = '';
      return false;
    }
    const { project } = cachedProject;
    this.#indexing = compiled.id;
    this.#cold = { flagId: compiled.id, projectId: project.id, accountId: this.accountOf(project) };
    return true;
  }

  /** A flag that is kept needs no reading: the requests that wait for it make its index. */
  *#load(flagId: string): Steps<CachedFlag | undefined> {
    return this.cache.find(flagId) ?? (yield* this.#flags.load(flagId));
  }

  /** The flag for which the last `find` returned null, or the last `stepIndex` true. */
  get cold(): ColdFlag {
    return this.#cold;
  }

  #findUnknown(flagId: string): CachedFlag | undefined | null {
    const loading = this.loads.find(flagId);
    if (loading === undefined) {
      const projectId = this.#coldFlags.projectOf(flagId);
      return projectId === undefined ? this.#readAtOnce(flagId) : this.#leaveCold(flagId, projectId);
    }
    this.#cold = this.loads.coldFlag(flagId) ?? this.#cold;
    return loading === null ? null : loading.flag;
  }

  #readAtOnce(flagId: string): CachedFlag | undefined | null {
    const startedAt = performance.now();
    this.#catchUp();
    const found = this.#reader.evaluation.flag(flagId);
    const flag = found === undefined ? undefined : this.#begin(flagId, found);
    this.#meter.observeStep('compile', performance.now() - startedAt);
    if (flag !== null) this.#meter.countMiss(flag === undefined);
    return flag;
  }

  /** @returns null when one step does not finish it */
  #begin(flagId: string, found: FoundEvaluable): CachedFlag | undefined | null {
    // Read this before anything else: another read may overwrite what was found.
    const projectId = String(found.begin(2)[1]);
    if (found.bytes <= atOnceBytes) {
      const steps = this.#flags.read(flagId, found, null);
      const step = steps.next();
      if (step.done === true) return step.value;
      steps.return(null);
    }
    this.#coldFlags.add(flagId, projectId);
    return this.#leaveCold(flagId, projectId);
  }

  #leaveCold(flagId: string, projectId: string): null {
    const project = this.cache.findProject(projectId)?.project ?? this.#reader.queries.project(projectId);
    this.#cold = { flagId, projectId, accountId: project === undefined ? null : this.accountOf(project) };
    return null;
  }
}
