import { compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import type { EvaluableFlag } from '../../domain/evaluation/evaluable-flag.ts';
import type { FoundRecord } from '../../storage/evaluation-reader.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import type { Steps, WorkQueue } from '../../support/steps.ts';
import { touchedMemory } from '../../support/touched-memory.ts';
import { AudienceReading } from './audience-reading.ts';
import type { ColdFlags, ColdLoad, ReadingPlace } from './cold-flags.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import {
  type CachedFlag,
  type CachedProject,
  type FlagCache,
  sizeWithAudiences,
  unlinked,
} from './flag-cache.ts';

export type FoundEvaluable = FoundRecord<EvaluableFlag>;

/** A flag that is being read from the store. */
interface Reading {
  readonly flagId: string;
  /** Null until the flag's record was read. */
  projectId: string | null;
  /** What was read is older than a change. */
  isStale: boolean;
}

interface FlagReaderParts {
  readonly reader: StoreReader;
  readonly meter: EvaluationMeter;
  readonly cache: FlagCache;
  readonly coldFlags: ColdFlags;
  /** Indexes the long lists of what is kept. */
  readonly queue: WorkQueue;
  /** Forgets what the reader's snapshot shows as changed. */
  catchUp(): void;
  /** Renews that snapshot, too. */
  refresh(): void;
}

/** Reads flags with their audiences and compiles them, in steps. A change between two steps makes a reading stale. */
export class FlagReader {
  readonly #parts: FlagReaderParts;
  /** Short records and lists of projects are read to memory of their own. */
  readonly #keptPlace: ReadingPlace;
  readonly #readings = new Set<Reading>();

  constructor(parts: FlagReaderParts) {
    this.#parts = parts;
    this.#keptPlace = { memory: touchedMemory, queue: parts.queue };
  }

  forgetProject(projectId: string): void {
    for (const reading of this.#readings) if (reading.projectId === projectId) reading.isStale = true;
  }

  forgetFlag(flagId: string): void {
    for (const reading of this.#readings) if (reading.flagId === flagId) reading.isStale = true;
  }

  forgetAll(): void {
    for (const reading of this.#readings) reading.isStale = true;
  }

  findProject(projectId: string): CachedProject | undefined {
    const known = this.#parts.cache.findProject(projectId);
    if (known !== undefined) return known;
    const project = this.#parts.reader.queries.project(projectId);
    return project === undefined ? undefined : this.#parts.cache.addProject(project);
  }

  /** Reads, compiles and keeps a flag in its newest state. Each worker compiles a flag for itself, on its own thread. */
  *load(flagId: string): Steps<CachedFlag | undefined> {
    for (;;) {
      this.#parts.catchUp();
      const found = this.#parts.reader.evaluation.flag(flagId);
      const load = this.#parts.coldFlags.beginLoad(flagId);
      const flag = found === undefined ? undefined : yield* this.read(flagId, found, load);
      if (flag === null) continue;
      if (!load.isLong) this.#parts.coldFlags.forget(flagId);
      this.#parts.meter.countMiss(flag === undefined);
      return flag;
    }
  }

  /**
   * @param load null: the flag is short
   * @returns null when the flag, its project or an audience changed meanwhile
   */
  *read(flagId: string, found: FoundEvaluable, load: ColdLoad | null): Steps<CachedFlag | undefined | null> {
    const place = load ?? this.#keptPlace;
    const reading: Reading = { flagId, projectId: null, isStale: false };
    this.#readings.add(reading);
    try {
      const flag = yield* this.#sliced(found.readInSteps(place.memory));
      if (reading.isStale) return null;
      if (flag === undefined) return undefined;
      reading.projectId = flag.projectId;
      const known = this.#projectOfFlag(flag.projectId).audiences;
      const audiences = new AudienceReading(this.#parts.reader.evaluation, known, place);
      yield* this.#sliced(audiences.readAllOf(flag, found.bytes));
      if (reading.isStale) return null;
      const cachedProject = this.#projectOfFlag(flag.projectId);
      const audienceById = (id: string) => audiences.find(id);
      const { project } = cachedProject;
      const compiled = compileEvaluable(flag, project, audienceById, { queue: place.queue });
      const isKept = load === null || load.settle(sizeWithAudiences(compiled));
      return isKept ? this.#parts.cache.add(compiled, cachedProject) : unlinked(compiled, cachedProject);
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
      this.#parts.refresh();
      this.#parts.catchUp();
    }
  }

  #projectOfFlag(projectId: string): CachedProject {
    const found = this.findProject(projectId);
    if (found === undefined) throw new Error(`project ${projectId} is missing, but has a flag`);
    return found;
  }
}
