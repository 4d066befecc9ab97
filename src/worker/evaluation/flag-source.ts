import type { StoreReader } from '../../storage/store-reader.ts';
import type { ChangeLogEntry } from '../../storage/tables/change-log.ts';
import { idChars } from '../../support/id-shape.ts';
import { isUnsettled, StoreVersion } from '../../support/store-version.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import { type CachedFlag, type CachedProject, FlagCache } from './flag-cache.ts';
import { FlagNames } from './flag-names.ts';
import { FlagReader } from './flag-reader.ts';
import { type ProjectList, ProjectLists } from './project-lists.ts';

/** The share of the memory for compiled flags that compiled lists of whole projects may take. */
const listsShare = 0.25;
/** For each byte in use, V8 keeps about another one that is free or not collected yet: the setting bounds both. */
const bytesKeptPerByte = 2;

/**
 * Compiled flags as of the newest acknowledged change. `refresh` is called for each request: one atomic load when
 * nothing changed. There is no stale window, because the version moves before a commit is acknowledged. And after one
 * reader has seen the new state no other sees the old one, because the version is unsettled from before the commit
 * becomes visible.
 */
export class FlagSource {
  readonly cache: FlagCache;
  readonly lists: ProjectLists;
  readonly #names = new FlagNames();
  readonly #reader: StoreReader;
  readonly #version: StoreVersion;
  readonly #meter: EvaluationMeter;
  readonly #flags: FlagReader;
  #versionSeen: number;
  #sequenceSeen: number;

  constructor(
    reader: StoreReader,
    storeVersion: SharedArrayBuffer,
    cacheBytes: number,
    meter: EvaluationMeter,
  ) {
    const bytesMax = cacheBytes / bytesKeptPerByte;
    this.cache = new FlagCache(bytesMax * (1 - listsShare), (flags) => meter.countEvictions(flags));
    const hooks = {
      knownFlag: (id: string) => this.cache.peek(id),
      onEviction: () => meter.countListEviction(),
    };
    this.#flags = new FlagReader(reader, this.cache);
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
    // This comes last: if the changes cannot be read, the next request tries again.
    this.#versionSeen = version;
    return true;
  }

  /** The same, but while a commit is in progress the snapshot stays, without the commits since it was taken. */
  refreshSettled(): void {
    if (!isUnsettled(this.#version.load())) this.refresh();
  }

  /** Releases the snapshot, so that an idle worker does not keep pages from being reused. The next look-up opens a new one. */
  release(): void {
    this.#reader.renew();
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
    } else {
      this.cache.dropFlag(id);
      this.lists.forgetFlag(projectId, id);
    }
  }

  #forgetAll(): void {
    this.#names.forgetAll();
    this.cache.clear();
    this.lists.forgetAll();
  }

  /** @returns every flag of a project, compiled in the newest acknowledged state; undefined: the list has to be built first */
  findList(projectId: string): ProjectList | undefined {
    this.refresh();
    // Either all flags of a list include a commit, or none does.
    this.#catchUp();
    return this.lists.find(projectId);
  }

  /** @returns the id of the flag that answers to the name */
  idByName(projectId: string, name: string): string | undefined {
    return this.#names.find(projectId, name, () => {
      this.#catchUp();
      return this.#reader.queries.flagNamed(projectId, name);
    });
  }

  /**
   * @param named the name of a project that a caller without credentials gave
   * @returns the id of the project with this public slug; every other text as it is, so that it may be an id
   */
  publicIdOf(named: string): string {
    if (named.length === idChars) return named;
    this.refresh();
    this.#catchUp();
    const id = this.#reader.queries.projectWithSlug(named);
    return id !== undefined && this.findProject(id)?.project.isSlugPublic === true ? id : named;
  }

  findProject(projectId: string): CachedProject | undefined {
    return this.#flags.findProject(projectId);
  }

  /** @returns the compiled flag, from the cache or read now; undefined when no flag has this id */
  find(flagId: string): CachedFlag | undefined {
    const known = this.cache.find(flagId);
    if (known === undefined) return this.#read(flagId);
    this.#meter.countHit();
    return known;
  }

  #read(flagId: string): CachedFlag | undefined {
    const startedAt = performance.now();
    this.#catchUp();
    const flag = this.#flags.read(flagId);
    this.#meter.observeStep('compile', performance.now() - startedAt);
    this.#meter.countMiss(flag === undefined);
    return flag;
  }
}
