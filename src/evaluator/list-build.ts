import type { AudienceLookup, CompiledFlag } from '../domain/evaluation/compiled-flag.ts';
import type { Flag } from '../domain/flag/flag.ts';
import type { Project } from '../domain/project/project.ts';
import type { PinnedSnapshot } from '../storage/store-reader.ts';
import {
  type ListedFlag,
  listedBytes,
  listFlag,
  type ProjectList,
  rememberAudiences,
} from './project-list.ts';

/** Flags of one step: some tenths of a millisecond. */
const stepFlags = 8;

/** Who tells a build about the flags that are compiled already. */
export type KnownFlag = (flagId: string) => CompiledFlag | undefined;

/**
 * Compiles a project's list, a few flags a step, on one snapshot. Those who want the list while it is made share the
 * work: whoever comes first makes the next step.
 */
export class ListBuild {
  readonly #project: Project;
  readonly #snapshot: PinnedSnapshot;
  readonly #flags: Iterator<Flag>;
  readonly #knownFlag: KnownFlag;
  readonly #audienceById: AudienceLookup;
  readonly #bytesMax: number;
  readonly #listed: ListedFlag[] = [];
  #sizeBytes = 0;
  #waiting = 0;
  /** Flags that changed since the snapshot. */
  readonly changed = new Set<string>();
  isDone = false;
  /** Every flag is in the list. */
  isComplete = false;
  /** The list would be larger than what may be kept. */
  isTooLarge = false;

  constructor(project: Project, snapshot: PinnedSnapshot, knownFlag: KnownFlag, bytesMax: number) {
    this.#project = project;
    this.#snapshot = snapshot;
    this.#flags = snapshot.queries.flagsOf(project.id)[Symbol.iterator]();
    this.#knownFlag = knownFlag;
    this.#audienceById = rememberAudiences(snapshot.queries, new Map());
    this.#bytesMax = bytesMax;
  }

  /** The list as of the snapshot; meaningful once it is done and not too large. */
  get list(): ProjectList {
    return { project: this.#project, flags: this.#listed, sizeBytes: this.#sizeBytes };
  }

  /** @throws what reading the store throws; the build is then over */
  step(): void {
    try {
      for (let count = 0; count < stepFlags && !this.isDone; count += 1) this.#addNext();
    } catch (fault) {
      this.close();
      throw fault;
    }
  }

  #addNext(): void {
    const next = this.#flags.next();
    if (next.done === true) {
      this.isComplete = true;
      this.close();
      return;
    }
    const flag = next.value;
    const listed = listFlag(flag, this.#project, this.#audienceById, this.#known(flag));
    this.#listed.push(listed);
    this.#sizeBytes += listedBytes(listed);
    if (this.#sizeBytes <= this.#bytesMax) return;
    this.isTooLarge = true;
    this.close();
  }

  /** A flag that changed is read again when the build is done. */
  #known(flag: Flag): CompiledFlag | undefined {
    return this.changed.has(flag.id) ? undefined : this.#knownFlag(flag.id);
  }

  join(): void {
    this.#waiting += 1;
  }

  /** Nobody waits for it any more: it ends. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.close();
  }

  /** Ends it, complete or not, and lets the snapshot go. */
  close(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#flags.return?.();
    this.#snapshot.release();
  }
}
