/** The most names that are kept: some megabytes. */
const namesMax = 20_000;

/** Ids of flags by project and name, kept until a flag of the project changes. Owned by one worker. */
export class FlagNames {
  readonly #projects = new Map<string, Map<string, readonly string[]>>();
  #names = 0;

  /** @param read finds the ids. @returns at most two: a second one shows that the name is not unique */
  find(projectId: string, name: string, read: () => readonly string[]): readonly string[] {
    const known = this.#projects.get(projectId)?.get(name);
    if (known !== undefined) return known;
    const ids = read();
    // Names that no flag has are not kept: there are arbitrarily many.
    if (ids.length > 0) this.#keep(projectId, name, ids);
    return ids;
  }

  /** The project, or a flag of it, changed. */
  forget(projectId: string): void {
    this.#names -= this.#projects.get(projectId)?.size ?? 0;
    this.#projects.delete(projectId);
  }

  forgetAll(): void {
    this.#projects.clear();
    this.#names = 0;
  }

  #keep(projectId: string, name: string, ids: readonly string[]): void {
    if (this.#names >= namesMax) this.forgetAll();
    const names = this.#projects.get(projectId) ?? new Map<string, readonly string[]>();
    this.#projects.set(projectId, names.set(name, ids));
    this.#names += 1;
  }
}
