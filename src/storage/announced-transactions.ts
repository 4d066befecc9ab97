import type { StoreVersion } from '../support/store-version.ts';
import type { Root } from './lmdb/environment.ts';
import type { WriteTarget } from './write-target.ts';

/**
 * Write transactions that are announced to readers in other threads (`StoreVersion`): from `announce`, which comes last
 * within the transaction, until its end, readers know that a commit is in progress. After a failed one, the target
 * forgets what it has cached.
 */
export class AnnouncedTransactions {
  readonly #root: Root;
  /** Null in a process without readers. */
  readonly #version: StoreVersion | null;
  readonly #target: WriteTarget;

  constructor(root: Root, version: StoreVersion | null, target: WriteTarget) {
    this.#root = root;
    this.#version = version;
    this.#target = target;
  }

  run<T>(work: (announce: () => void) => T): T {
    let isAnnounced = false;
    const announce = (): void => {
      this.#version?.begin();
      isAnnounced = true;
    };
    try {
      // An object: lmdb would take some results (a promise, its own ABORT) as instructions.
      return this.#root.transactionSync(() => ({ result: work(announce) })).result;
    } catch (fault) {
      this.#target.forget();
      throw fault;
    } finally {
      if (isAnnounced) this.#version?.end();
    }
  }

  /** The same for work that awaits, which is announced when it is done: nothing else is written meanwhile. */
  async runThroughout<T>(work: () => Promise<T>): Promise<T> {
    let isAnnounced = false;
    try {
      const written = this.#root.transactionSync(async () => {
        const result = await work();
        this.#version?.begin();
        isAnnounced = true;
        return { result };
      });
      return (await written).result;
    } catch (fault) {
      this.#target.forget();
      throw fault;
    } finally {
      if (isAnnounced) this.#version?.end();
    }
  }
}
