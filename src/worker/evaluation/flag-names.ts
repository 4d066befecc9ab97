/** The most names that are kept: some megabytes. */
const namesMax = 20_000;

/** Ids of flags by project and name, kept until a flag of the project changes. Owned by one worker. */
export class FlagNames {
  readonly #projects = new Map<string, Map<string, string>>();
  #names = 0;

  /** @param read finds the id, if a flag answers to the name */
  find(projectId: string, name: string, read: () => string | undefined): string | undefined {
    const known = this.#projects.get(projectId)?.get(name);
    if (known !== undefined) return known;
    const id = read();
    // Names that no flag has are not kept: there are arbitrarily many.
    if (id !== undefined) this.#keep(projectId, name, id);
    return id;
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

  #keep(projectId: string, name: string, id: string): void {
    if (this.#names >= namesMax) this.forgetAll();
    const names = this.#projects.get(projectId) ?? new Map<string, string>();
    this.#projects.set(projectId, names.set(name, id));
    this.#names += 1;
  }
}
