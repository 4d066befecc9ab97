import { statSync } from 'node:fs';
import { dataFileOf, type Root, readingMapBytesOf, type Table, type Tables } from './environment.ts';
import { firstIdOf, metaKeys, rangeOf, sequenceOf } from './keys/key-parts.ts';
import { type DatabaseName, databaseNames } from './keys.ts';
import { type ReaderUse, readerUseOf } from './reader-use.ts';
import { RecordSource } from './record-source.ts';
import { auditRecord, decodeAuditHead } from './records/audit-record.ts';
import { counterRecord } from './records/counter-record.ts';
import { Snapshots } from './snapshots.ts';
import { type OpenedStore, openForReading } from './store-opening.ts';

export interface DatabaseStatistics {
  readonly name: DatabaseName;
  readonly entries: number;
  /** Of the pages that it takes. */
  readonly bytes: number;
}

export interface PageUse {
  readonly pageBytes: number;
  readonly usedPages: number;
  /** In the file, to be used again. */
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
  /** Of the newest change-log entry. */
  readonly changeSequence: number;
  /** When the newest audit entry was made, in Unix milliseconds; null before the first. */
  readonly lastChangeAt: number | null;
  /** The newest entry of each audit log: kept elsewhere, they show later whether newest entries were taken out. */
  readonly auditHeads: readonly LedgerHead[];
}

interface LedgerHead {
  /** An organisation's id, or a personal project's. */
  readonly ledgerId: string;
  readonly sequence: number;
  /** Hexadecimal, as in the audit log's export. */
  readonly hash: string;
}

/** What lmdb's `getStats` gives, of which its published types say nothing. */
interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}
interface LmdbStats extends TreeStats {
  readonly root: TreeStats;
  readonly free: TreeStats;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
}

/** The two pages at the head of the file. */
const headPages = 2;
/** A commit between two looks makes the sum wrong; on a store that is never still, the last one counts. */
const looksMax = 20;

/** Reads them offline or beside a running server. @throws StoreError when there is no store. */
export function readStatistics(directory: string): StoreStatistics {
  const opened = openForReading({ directory, mapBytes: readingMapBytesOf(directory) });
  const snapshots = new Snapshots(opened.root);
  try {
    return statisticsOf(directory, opened, new RecordSource(opened.tables, snapshots));
  } finally {
    snapshots.close();
    // Nothing is under way in it, so this closes before it returns.
    void opened.close();
  }
}

function statisticsOf(
  directory: string,
  { root, tables, identity }: OpenedStore,
  source: RecordSource,
): StoreStatistics {
  const use = pageUseOf(root, tables);
  return {
    ...{ storeId: identity.id, format: identity.format, ...use },
    fileBytes: statSync(dataFileOf(directory)).size,
    databases: databaseNames.map((name) => ({ name, ...sizeOf(tables[name]) })),
    readers: readerUseOf(root, use.commit),
    changeSequence: source.find(counterRecord, metaKeys.changeLog) ?? 0,
    ...auditStatistics(source),
  };
}

/** How the pages of the file are used, on one commit. */
export function pageUseOf(root: Root, tables: Tables): PageUse {
  for (let look = 1; ; look += 1) {
    root.resetReadTxn();
    const before = statsOf(root);
    const trees = [before.root, before.free, ...databaseNames.map((name) => statsOf(tables[name]))];
    const { lastTxnId } = statsOf(root);
    root.resetReadTxn();
    if (lastTxnId !== before.lastTxnId && look < looksMax) continue;
    const usedPages = trees.reduce((sum, tree) => sum + pagesOf(tree), headPages);
    const freePages = Math.max(0, before.lastPageNumber + 1 - usedPages);
    return { pageBytes: before.pageSize, usedPages, freePages, commit: before.lastTxnId };
  }
}

function sizeOf(table: Table): { readonly entries: number; readonly bytes: number } {
  const stats = statsOf(table);
  return { entries: stats.entryCount, bytes: pagesOf(stats) * stats.pageSize };
}

function statsOf(table: Table | Root): LmdbStats {
  return table.getStats() as LmdbStats;
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

/** Looks at each ledger's newest entry only. */
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
