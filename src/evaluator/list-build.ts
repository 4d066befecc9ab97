import type { CompiledAudienceLookup, CompiledFlag } from '../domain/evaluation/compiled-flag.ts';
import type { Project } from '../domain/project/project.ts';
import type { SkimmedFlag } from '../storage/evaluation-reader.ts';
import type { PinnedSnapshot } from '../storage/store-reader.ts';
import type { WorkQueue } from '../support/sliced-work.ts';
import { type ListedFlag, ListSize, listFlag, type ProjectList, rememberAudiences } from './project-list.ts';

/** Flags of one step, and bytes of their records after which it ends sooner: some tenths of a millisecond. */
const stepFlags = 8;
const stepBytes = 64 * 1024;

/** Who tells a build about the flags that are compiled already. */
export type KnownFlag = (flagId: string) => CompiledFlag | undefined;

/**
 * Compiles a project's list, a few flags a step, on one snapshot. Those who want the list while it is made share the
 * work: whoever comes first makes the next step.
 */
export class ListBuild {
  readonly #project: Project;
  readonly #snapshot: PinnedSnapshot;
  readonly #flags: Iterator<SkimmedFlag>;
  readonly #knownFlag: KnownFlag;
  readonly #audienceById: CompiledAudienceLookup;
  readonly #queue: WorkQueue;
  readonly #bytesMax: number;
  readonly #listed: ListedFlag[] = [];
  readonly #size = new ListSize();
  #waiting = 0;
  /** Flags that changed since the snapshot. */
  readonly changed = new Set<string>();
  isDone = false;
  /** Every flag is in the list. */
  isComplete = false;
  /** The list would be larger than what may be kept. */
  isTooLarge = false;

  constructor(
    project: Project,
    snapshot: PinnedSnapshot,
    knownFlag: KnownFlag,
    queue: WorkQueue,
    bytesMax: number,
  ) {
    this.#project = project;
    this.#snapshot = snapshot;
    this.#flags = snapshot.evaluation.flagsOf(project.id)[Symbol.iterator]();
    this.#knownFlag = knownFlag;
    this.#audienceById = rememberAudiences(snapshot.evaluation, new Map(), queue);
    this.#queue = queue;
    this.#bytesMax = bytesMax;
  }

  /** The list as of the snapshot; meaningful once it is done and not too large. */
  get list(): ProjectList {
    return { project: this.#project, flags: this.#listed, sizeBytes: this.#size.bytes };
  }

  /** @throws what reading the store throws; the build is then over */
  step(): void {
    try {
      let bytes = 0;
      for (let count = 0; count < stepFlags && bytes < stepBytes && !this.isDone; count += 1) {
        bytes += this.#addNext();
      }
    } catch (fault) {
      this.close();
      throw fault;
    }
  }

  /** @returns the bytes that it read */
  #addNext(): number {
    const next = this.#flags.next();
    if (next.done === true) {
      this.isComplete = true;
      this.close();
      return 0;
    }
    const { flag, recordBytes } = next.value;
    // A flag that changed is read again when the build is done.
    const known = this.changed.has(flag.id) ? undefined : this.#knownFlag(flag.id);
    const listed = listFlag(flag, this.#project, this.#audienceById, this.#queue, known);
    this.#listed.push(listed);
    this.#size.add(listed);
    if (this.#size.bytes > this.#bytesMax) {
      this.isTooLarge = true;
      this.close();
    }
    return recordBytes;
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
