import { compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import type { EvaluableFlag } from '../../domain/evaluation/evaluable-flag.ts';
import { atOnceBytes, type FoundRecord } from '../../storage/evaluation-reader.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import type { ChangeLogEntry } from '../../storage/tables/change-log.ts';
import { SliceQueue } from '../../support/slice-queue.ts';
import type { Steps } from '../../support/steps.ts';
import { isUnsettled, StoreVersion } from '../../support/store-version.ts';
import { touchedMemory } from '../../support/touched-memory.ts';
import { AudienceReading } from './audience-reading.ts';
import { ColdFlags, type ColdLoad, type ReadingPlace } from './cold-flags.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import { type CachedFlag, type CachedProject, FlagCache, sizeWithAudiences, unlinked } from './flag-cache.ts';
import { type ColdFlag, FlagLoads } from './flag-loads.ts';
import { FlagNames } from './flag-names.ts';
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
  /** Short records and lists of projects are read to memory of their own. */
  readonly #keptPlace: ReadingPlace;
  /** Flags that are being read. */
  readonly #readings = new Set<Reading>();
  #cold: ColdFlag = { flagId: '', projectId: '', organisationId: null };
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
    this.loads = new FlagLoads((flagId) => this.#load(flagId), onWork ?? (() => undefined));
    this.#coldFlags = new ColdFlags(this.cache, this.#queue);
    this.#keptPlace = { memory: touchedMemory, queue: this.#queue };
    this.lists = new ProjectLists(reader, hooks, bytesMax * listsShare);
    this.#meter = meter;
    this.#reader = reader;
    this.#version = new StoreVersion(storeVersion);
    this.#versionSeen = this.#version.load();
    this.#sequenceSeen = reader.sequence();
  }

  /** Renews the snapshot and forgets changed flags, if the store has changed since the last call, or is about to. */
  refresh(): void {
    const version = this.#version.load();
    if (version === this.#versionSeen && !isUnsettled(version)) return;
    this.#reader.renew();
    this.#forgetChanged();
    // Set last: if the changes cannot be read, the next request has to try again.
    this.#versionSeen = version;
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
      for (const reading of this.#readings) if (reading.projectId === projectId) reading.isStale = true;
    } else {
      this.cache.dropFlag(id);
      this.lists.forgetFlag(projectId, id);
      this.loads.forgetFlag(id);
      for (const reading of this.#readings) if (reading.flagId === id) reading.isStale = true;
    }
  }

  #forgetAll(): void {
    this.#names.forgetAll();
    this.cache.clear();
    this.lists.forgetAll();
    this.loads.forgetAll();
    this.#coldFlags.forgetAll();
    for (const reading of this.#readings) reading.isStale = true;
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
      for (const found of this.#reader.queries.foundFlagsOf(projectId, name)) {
        if (ids.push(String(found.begin(1)[0])) === 2) break;
      }
      return ids;
    });
  }

  findProject(projectId: string): CachedProject | undefined {
    const known = this.cache.findProject(projectId);
    if (known !== undefined) return known;
    const project = this.#reader.queries.project(projectId);
    return project === undefined ? undefined : this.cache.addProject(project);
  }

  /**
   * @returns the compiled flag, from the cache or read at once; undefined when no flag has this id; null when its
   * record is too long for that: then the request waits for `cold` in `loads`
   */
  find(flagId: string): CachedFlag | undefined | null {
    const known = this.cache.find(flagId);
    if (known === undefined) return this.#findUnknown(flagId);
    this.#meter.countHit();
    return known;
  }

  /** The flag for which the last `find` returned null. */
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
  #begin(flagId: string, found: FoundFlag): CachedFlag | undefined | null {
    // Read this before anything else: another read may overwrite what was found.
    const projectId = String(found.begin(2)[1]);
    if (found.bytes <= atOnceBytes) {
      const steps = this.#read(flagId, found, null);
      const step = steps.next();
      if (step.done === true) return step.value;
      steps.return(null);
    }
    this.#coldFlags.add(flagId, projectId);
    return this.#leaveCold(flagId, projectId);
  }

  #leaveCold(flagId: string, projectId: string): null {
    const project = this.cache.findProject(projectId)?.project ?? this.#reader.queries.project(projectId);
    this.#cold = { flagId, projectId, organisationId: project?.organisationId ?? null };
    return null;
  }

  /** Reads, compiles and keeps a flag in its newest state. Each worker compiles a flag for itself, on its own thread. */
  *#load(flagId: string): Steps<CachedFlag | undefined> {
    for (;;) {
      this.#catchUp();
      const found = this.#reader.evaluation.flag(flagId);
      const load = this.#coldFlags.beginLoad(flagId);
      const flag = found === undefined ? undefined : yield* this.#read(flagId, found, load);
      if (flag === null) continue;
      if (!load.isLong) this.#coldFlags.forget(flagId);
      this.#meter.countMiss(flag === undefined);
      return flag;
    }
  }

  /**
   * @param load null: the flag is short
   * @returns null when the flag, its project or an audience changed meanwhile
   */
  *#read(flagId: string, found: FoundFlag, load: ColdLoad | null): Steps<CachedFlag | undefined | null> {
    const place = load ?? this.#keptPlace;
    const reading: Reading = { flagId, projectId: null, isStale: false };
    this.#readings.add(reading);
    try {
      const flag = yield* this.#sliced(found.readInSteps(place.memory));
      if (reading.isStale) return null;
      if (flag === undefined) return undefined;
      reading.projectId = flag.projectId;
      const known = this.#projectOfFlag(flag.projectId).audiences;
      const audiences = new AudienceReading(this.#reader.evaluation, known, place);
      yield* this.#sliced(audiences.readAllOf(flag, found.bytes));
      if (reading.isStale) return null;
      const cachedProject = this.#projectOfFlag(flag.projectId);
      const audienceById = (id: string) => audiences.find(id);
      const { project } = cachedProject;
      const compiled = compileEvaluable(flag, project, audienceById, { queue: place.queue });
      const isKept = load === null || load.settle(sizeWithAudiences(compiled));
      return isKept ? this.cache.add(compiled, cachedProject) : unlinked(compiled, cachedProject);
    } finally {
      this.#readings.delete(reading);
    }
  }

  /** A change between two steps is noticed before the next step. */
  *#sliced<T>(steps: Steps<T>): Steps<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield;
      this.refresh();
      this.#catchUp();
    }
  }

  #projectOfFlag(projectId: string): CachedProject {
    const found = this.findProject(projectId);
    if (found === undefined) throw new Error(`project ${projectId} is missing, but has a flag`);
    return found;
  }
}

type FoundFlag = FoundRecord<EvaluableFlag>;

/** A flag that is being read from the store. */
interface Reading {
  readonly flagId: string;
  /** Null until the flag's record was read. */
  projectId: string | null;
  /** What was read is older than a change. */
  isStale: boolean;
}
