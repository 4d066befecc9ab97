import { type EvaluationCount, hourMs, ownShareOffset } from '../../domain/usage/evaluation-count.ts';
import { newId } from '../../support/random-id.ts';
import { sequenceKey } from '../keys/key-parts.ts';
import type { WritableStore } from '../store-opening.ts';
import { evaluationCountsRecord, hourFlagKey, readHourFlagKey } from '../tables/evaluation-counts.ts';
import { metaKeys, usageIdRecord } from '../tables/meta.ts';
import type { WriteTarget } from '../write-target.ts';

/** The parts of the store that they use. */
interface ShareParts {
  readonly opened: WritableStore;
  readonly target: WriteTarget;
  exclusively<T>(run: () => T): T;
}

/** A flag in an hour. */
export interface FlagHour {
  readonly hour: number;
  readonly flagId: string;
}

/**
 * The counts of this node alone. The console shows the sums of all nodes. A node's count only grows, and the node
 * publishes the whole count: published twice it counts once, and published late it is not lost.
 */
export class UsageShares {
  readonly #parts: ShareParts;

  constructor(parts: ShareParts) {
    this.#parts = parts;
  }

  /**
   * @returns the id under which this directory's counts are published. A directory without an id gets one, and all that
   * it has counted so far is its own count.
   */
  begin(): string {
    const { target, opened } = this.#parts;
    const known = this.#reading(() => target.source.find(usageIdRecord, metaKeys.usage));
    if (known !== undefined) return known;
    const id = newId();
    this.#parts.exclusively(() => {
      target.begin();
      opened.root.transactionSync(() => {
        const keys = [...target.source.keys('evaluation-counts')];
        for (const key of keys) {
          if (readHourFlagKey(key).hour % hourMs !== 0) target.remove('evaluation-counts', key);
        }
        for (const key of keys) {
          const { hour, flagId } = readHourFlagKey(key);
          if (hour % hourMs === 0) this.#copyToShare(key, hour, flagId);
        }
        target.put(usageIdRecord, metaKeys.usage, id);
        return {};
      });
    });
    return id;
  }

  #copyToShare(key: Buffer, hour: number, flagId: string): void {
    const { target } = this.#parts;
    const bytes = target.source.findBytes('evaluation-counts', key);
    if (bytes === undefined) return;
    const counts = evaluationCountsRecord.decode(key, bytes);
    target.put(evaluationCountsRecord, hourFlagKey(hour + ownShareOffset, flagId), counts);
  }

  /** @returns the shares of a flag in an hour, by environment */
  of({ hour, flagId }: FlagHour): readonly EvaluationCount[] {
    const { source } = this.#parts.target;
    const key = hourFlagKey(hour + ownShareOffset, flagId);
    return this.#reading(() => {
      const bytes = source.findBytes('evaluation-counts', key);
      const counts = bytes === undefined ? [] : evaluationCountsRecord.decode(key, bytes);
      return counts.map((count) => ({ ...count, hour, flagId }));
    });
  }

  /** @returns flags that have a share in an hour, behind one of them, in their order */
  flagsOf(hour: number, after: string | null, limit: number): readonly string[] {
    const end = sequenceKey(hour + ownShareOffset + 1);
    const first =
      after === null ? sequenceKey(hour + ownShareOffset) : hourFlagKey(hour + ownShareOffset, after);
    return this.#reading(() => {
      const keys = this.#parts.target.source.keys('evaluation-counts', {
        start: first,
        end,
        limit: limit + 1,
      });
      const flags = Array.from(keys, (key) => readHourFlagKey(key).flagId);
      return flags.filter((flagId) => flagId !== after).slice(0, limit);
    });
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } finally {
      this.#parts.opened.root.resetReadTxn();
    }
  }
}
