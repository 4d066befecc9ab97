import { compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import { AudienceReading } from './audience-reading.ts';
import type { CachedFlag, CachedProject, FlagCache } from './flag-cache.ts';

/** Reads flags with their audiences and compiles them, each within the request that asks for it first. */
export class FlagReader {
  readonly #reader: StoreReader;
  readonly #cache: FlagCache;

  constructor(reader: StoreReader, cache: FlagCache) {
    this.#reader = reader;
    this.#cache = cache;
  }

  findProject(projectId: string): CachedProject | undefined {
    const known = this.#cache.findProject(projectId);
    if (known !== undefined) return known;
    const project = this.#reader.queries.project(projectId);
    return project === undefined ? undefined : this.#cache.addProject(project);
  }

  read(flagId: string): CachedFlag | undefined {
    const flag = this.#reader.evaluation.flag(flagId)?.read();
    if (flag === undefined) return undefined;
    const cachedProject = this.findProject(flag.projectId);
    if (cachedProject === undefined) throw new Error(`project ${flag.projectId} is missing, but has a flag`);
    const audiences = new AudienceReading(this.#reader.evaluation, cachedProject.audiences);
    audiences.readAllOf(flag);
    const compiled = compileEvaluable(flag, cachedProject.project, (id) => audiences.find(id));
    return this.#cache.add(compiled, cachedProject);
  }
}
