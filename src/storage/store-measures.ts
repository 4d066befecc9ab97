import { statSync } from 'node:fs';
import { dataFileOf, type Root, type Tables } from './environment.ts';

/** What can be told of a store without walking it: some microseconds, whatever its size. */
export interface StoreMeasures {
  /** 0 while it is not in its place. */
  readonly fileBytes: number;
  /** Up to the last page that was ever used. */
  readonly usedBytes: number;
  readonly mapBytes: number;
  /** Open snapshots, in any process. */
  readonly readers: number;
  /** How many commits the oldest of them is behind; 0 when there is none. */
  readonly oldestReaderLagCommits: number;
  readonly outboxEntries: number;
}

/** What lmdb's `getStats` gives, of which its published types say nothing. */
interface LmdbStats {
  readonly pageSize: number;
  readonly entryCount: number;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
  readonly mapSize: number;
}

/** lmdb tells its readers as text: `pid thread commit`, with `-` for a reader that has no snapshot now. */
const openReader = /^\s*\d+\s+\S+\s+(\d+)\s*$/gm;

/** Not within a write. */
export function measureStore(directory: string, root: Root, tables: Tables): StoreMeasures {
  // Before `getStats`, which opens a snapshot of its own.
  root.resetReadTxn();
  const seen = Array.from(root.readerList().matchAll(openReader), ([, commit]) => Number(commit));
  try {
    const { pageSize, lastPageNumber, lastTxnId, mapSize } = root.getStats() as LmdbStats;
    const { entryCount } = tables.outbox.getStats() as LmdbStats;
    return {
      fileBytes: statSync(dataFileOf(directory), { throwIfNoEntry: false })?.size ?? 0,
      usedBytes: (lastPageNumber + 1) * pageSize,
      mapBytes: mapSize,
      readers: seen.length,
      oldestReaderLagCommits: seen.reduce((lag, commit) => Math.max(lag, lastTxnId - commit), 0),
      outboxEntries: entryCount,
    };
  } finally {
    root.resetReadTxn();
  }
}
