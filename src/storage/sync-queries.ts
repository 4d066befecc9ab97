import { sequenceKey } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { type ChangeLogEntry, changeLogRecord } from './tables/change-log.ts';
import { environmentVersion } from './tables/environment-versions.ts';
import { counterRecord, historyRecord, metaKeys } from './tables/meta.ts';

/** What a view of the store says of the numbers of changes (`tables/environment-versions.ts`). */
export interface SyncQueries {
  /** The history that the numbers belong to. */
  history(): string;
  /** The number of the last change; 0 before the first. */
  number(): number;
  /** The number of the last change that concerned an environment; 0 for none. */
  versionOf(projectId: string, environmentNumber: number): number;
  /** The change log, newest first. Lazy: consume it without awaiting in between. */
  newestChanges(): Iterable<ChangeLogEntry>;
}

/** @param storeId stands for the history of a cluster in which nothing was changed yet */
export function createSyncQueries(source: RecordSource, storeId: string): SyncQueries {
  return {
    history: () => source.find(historyRecord, metaKeys.history) ?? storeId,
    number: () => source.find(counterRecord, metaKeys.changes) ?? 0,
    versionOf: (projectId, environmentNumber) => environmentVersion(source, projectId, environmentNumber),
    *newestChanges() {
      const range = { end: sequenceKey(Number.MAX_SAFE_INTEGER), isReversed: true };
      for (const { record } of source.records(changeLogRecord, range)) yield record;
    },
  };
}
