import type { Project } from '../../domain/project/project.ts';
import type { PinnedSnapshot } from '../../storage/store-reader.ts';
import type { Steps } from '../../support/steps.ts';
import { ListSize, type ListView, type ProjectList } from './project-list.ts';

/**
 * The build of a project's list, new or mended, on one snapshot. All requests for the list share the work: the request
 * that comes first makes the next step.
 */
export class ListBuild {
  readonly #snapshot: PinnedSnapshot;
  readonly #steps: Steps<ProjectList | null>;
  readonly #size: ListSize;
  #waiting = 0;
  /** The snapshot's newest change, by its number. */
  readonly sequence: number;
  /** Flags that changed since the snapshot. */
  readonly changed = new Set<string>();
  isDone = false;
  /** The list, once it is done; null when the build ended early, or when the list would be larger than may be kept. */
  list: ProjectList | null = null;
  isTooLarge = false;
  /** The build ended early because other builds need the memory. Its waiting requests read the flags directly. */
  isCrowdedOut = false;

  /** @param make ends with null when the list would be too large */
  constructor(
    project: Project,
    snapshot: PinnedSnapshot,
    sequence: number,
    make: (view: ListView) => Steps<ProjectList | null>,
  ) {
    this.#snapshot = snapshot;
    this.#size = new ListSize(project);
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

  /** Memory of the part that is made. */
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

  /** Ends the build when no request waits for it any more. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.close();
  }

  /** Ends the build, complete or not, and releases its snapshot. */
  close(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#steps.return(null);
    this.#snapshot.release();
  }
}
