import type { Project } from '../../domain/project/project.ts';
import type { PinnedSnapshot } from '../../storage/store-reader.ts';
import type { Steps } from '../../support/steps.ts';
import { ListSize, type ListView, type ProjectList } from './project-list.ts';

/**
 * The making, or mending, of a project's list, on one snapshot. Those who want the list meanwhile share the work:
 * the request that comes first makes the next step.
 */
export class ListBuild {
  readonly #snapshot: PinnedSnapshot;
  readonly #steps: Steps<ProjectList | null>;
  readonly #size = new ListSize();
  #waiting = 0;
  /** Of the snapshot: the number of its newest change. */
  readonly sequence: number;
  /** Flags that changed since. */
  readonly changed = new Set<string>();
  isDone = false;
  /** What came of it, once it is done; null when it ended early, or when the list would be larger than may be kept. */
  list: ProjectList | null = null;
  isTooLarge = false;
  /** It ended early: other builds need the memory. Requests that wait for it read the flags for themselves. */
  isCrowdedOut = false;

  /** @param make ends with null when the list would be too large */
  constructor(
    project: Project,
    snapshot: PinnedSnapshot,
    sequence: number,
    make: (view: ListView) => Steps<ProjectList | null>,
  ) {
    this.#snapshot = snapshot;
    this.sequence = sequence;
    this.#steps = make({ project, snapshot, changed: this.changed, size: this.#size });
  }

  /** @throws what reading the store throws; the build is then over */
  step(): void {
    try {
      const step = this.#steps.next();
      if (step.done !== true) return;
      this.list = step.value;
      this.isTooLarge = step.value === null;
    } catch (fault) {
      this.close();
      throw fault;
    }
    this.close();
  }

  /** Memory of what is made of the list. */
  get bytes(): number {
    return this.#size.bytes;
  }

  crowdOut(): void {
    this.isCrowdedOut = true;
    this.close();
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
    this.#steps.return(null);
    this.#snapshot.release();
  }
}
