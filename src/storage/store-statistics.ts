import { statSync } from 'node:fs';
import { firstIdOf, rangeOf, sequenceOf } from './keys/key-parts.ts';
import { type DatabaseName, databaseNames } from './keys.ts';
import {
  type Database,
  type Databases,
  dataFileOf,
  type Root,
  readingMapBytesOf,
  statsOf,
  treePages,
} from './lmdb/environment.ts';
import { RecordSource } from './record-source.ts';
import { Snapshots } from './snapshots.ts';
import { type OpenedStore, openForReading } from './store-opening.ts';
import { auditRecord, decodeAuditHead } from './tables/audit-record.ts';
import { counterRecord, metaKeys } from './tables/meta.ts';

interface DatabaseStatistics {
  readonly name: DatabaseName;
  readonly entries: number;
  /** Bytes of its pages. */
  readonly bytes: number;
}

interface PageUse {
  readonly pageBytes: number;
  readonly usedPages: number;
  /** Free pages in the file, which will be reused. */
  readonly freePages: number;
  /** LMDB's number of the newest commit. */
  readonly commit: number;
}

export interface StoreStatistics extends PageUse {
  readonly storeId: string;
  readonly format: number;
  readonly fileBytes: number;
  readonly databases: readonly DatabaseStatistics[];
  readonly readers: ReaderUse;
  /** Sequence of the newest change-log entry. */
  readonly changeSequence: number;
  /** Time of the newest audit entry in Unix milliseconds; null for none. */
  readonly lastChangeAt: number | null;
  /** The newest entry of each audit log. Kept elsewhere, they show later whether the newest entries were removed. */
  readonly auditHeads: readonly LedgerHead[];
}

interface LedgerHead {
  /** Id of an organisation or a personal project. */
  readonly ledgerId: string;
  readonly sequence: number;
  /** Hexadecimal, as in the audit log's export. */
  readonly hash: string;
}

/** The store's readers. An open snapshot makes the file grow with every change. */
interface ReaderUse {
  /** Open snapshots, without those of this process. */
  readonly open: number;
  /** How many commits the oldest one is behind; 0 for none. */
  readonly oldestLagCommits: number;
  /** Process id of the oldest one; null for none. */
  readonly oldestPid: number | null;
}

/** Figures that need no walk of the store: some microseconds, for any size. */
export interface StoreMeasures {
  /** 0 while it is not at its path. */
  readonly fileBytes: number;
  /** Bytes up to the last page that was ever used. */
  readonly usedBytes: number;
  readonly mapBytes: number;
  /** Open snapshots, in any process. */
  readonly readers: number;
  /** How many commits the oldest one is behind; 0 for none. */
  readonly oldestReaderLagCommits: number;
  readonly outboxEntries: number;
}

/** The two pages at the head of the file. */
const headPages = 2;
/** A commit between two readings makes the sum wrong; in a store that is written all the time, the last try counts. */
const looksMax = 20;

/** Reads them offline or while a server runs. @throws StoreError when there is no store. */
export function readStatistics(directory: string): StoreStatistics {
  const opened = openForReading({ directory, mapBytes: readingMapBytesOf(directory) });
  const snapshots = new Snapshots(opened.root);
  try {
    return statisticsOf(directory, opened, new RecordSource(opened.databases, snapshots));
  } finally {
    snapshots.close();
    // No transaction is open, so this closes before it returns.
    void opened.close();
  }
}

function statisticsOf(
  directory: string,
  { root, databases, identity }: OpenedStore,
  source: RecordSource,
): StoreStatistics {
  const use = pageUseOf(root, databases);
  return {
    ...{ storeId: identity.id, format: identity.format, ...use },
    fileBytes: statSync(dataFileOf(directory)).size,
    databases: databaseNames.map((name) => ({ name, ...sizeOf(databases[name]) })),
    readers: readerUseOf(root, use.commit),
    changeSequence: source.find(counterRecord, metaKeys.changeLog) ?? 0,
    ...auditStatistics(source),
  };
}

/** The use of the file's pages at one commit. */
export function pageUseOf(root: Root, databases: Databases): PageUse {
  for (let look = 1; ; look += 1) {
    root.resetReadTxn();
    const before = statsOf(root);
    const trees = [before.root, before.free, ...databaseNames.map((name) => statsOf(databases[name]))];
    const { lastTxnId } = statsOf(root);
    root.resetReadTxn();
    if (lastTxnId !== before.lastTxnId && look < looksMax) continue;
    const usedPages = trees.reduce((sum, tree) => sum + treePages(tree), headPages);
    const freePages = Math.max(0, before.lastPageNumber + 1 - usedPages);
    return { pageBytes: before.pageSize, usedPages, freePages, commit: before.lastTxnId };
  }
}

function sizeOf(database: Database): { readonly entries: number; readonly bytes: number } {
  const stats = statsOf(database);
  return { entries: stats.entryCount, bytes: treePages(stats) * stats.pageSize };
}

/**
 * Open snapshots in any process. lmdb lists them as text: `pid thread commit`, with `-` for a reader without a
 * snapshot.
 */
function snapshotsIn(root: Root): readonly { readonly pid: number; readonly commit: number }[] {
  const open = root.readerList().matchAll(/^\s*(\d+)\s+\S+\s+(\d+)\s*$/gm);
  return Array.from(open, ([, pid, commit]) => ({ pid: Number(pid), commit: Number(commit) }));
}

/** @param commit the newest. */
function readerUseOf(root: Root, commit: number): ReaderUse {
  const others = snapshotsIn(root).filter(({ pid }) => pid !== process.pid);
  const oldest = others.reduce<(typeof others)[number] | null>(
    (found, reader) => (found === null || reader.commit < found.commit ? reader : found),
    null,
  );
  const oldestLagCommits = oldest === null ? 0 : Math.max(0, commit - oldest.commit);
  return { open: others.length, oldestLagCommits, oldestPid: oldest?.pid ?? null };
}

/** Do not call it within a write. */
export function measureStore(directory: string, root: Root, databases: Databases): StoreMeasures {
  // Before the statistics, which open a snapshot of their own.
  root.resetReadTxn();
  const seen = snapshotsIn(root);
  try {
    const { pageSize, lastPageNumber, lastTxnId, mapSize } = statsOf(root);
    return {
      fileBytes: statSync(dataFileOf(directory), { throwIfNoEntry: false })?.size ?? 0,
      usedBytes: (lastPageNumber + 1) * pageSize,
      mapBytes: mapSize,
      readers: seen.length,
      oldestReaderLagCommits: seen.reduce((lag, { commit }) => Math.max(lag, lastTxnId - commit), 0),
      outboxEntries: statsOf(databases.outbox).entryCount,
    };
  } finally {
    root.resetReadTxn();
  }
}

/** Reads each ledger's newest entry only. */
function auditStatistics(source: RecordSource): Pick<StoreStatistics, 'lastChangeAt' | 'auditHeads'> {
  const auditHeads: LedgerHead[] = [];
  let lastChangeAt: number | null = null;
  let start: Buffer | null = null;
  for (;;) {
    const [next] = source.keys('audit', { ...(start === null ? {} : { start }), limit: 1 });
    if (next === undefined) return { lastChangeAt, auditHeads };
    const ledgerId = firstIdOf(next);
    const ledger = rangeOf(ledgerId);
    for (const { key, record } of source.records(auditRecord, { ...ledger, isReversed: true, limit: 1 })) {
      lastChangeAt = Math.max(lastChangeAt ?? 0, decodeAuditHead(record.encodedEntry).head.at);
      const hash = Buffer.from(record.hash).toString('hex');
      auditHeads.push({ ledgerId, sequence: sequenceOf(key), hash });
    }
    start = ledger.end;
  }
}
