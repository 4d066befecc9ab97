import type { AuditRange, RecordQueries } from '../record-queries.ts';
import type { ChainedEntry, SequencedHead } from './audit-entry.ts';
import { type AuditFilter, matchesAudit } from './audit-filter.ts';

/** Some entries of a ledger, newest first, and those among them that match. */
export interface AuditBatch {
  readonly matches: readonly ChainedEntry[];
  readonly walked: number;
  /** Bytes that were read for it. */
  readonly bytes: number;
  /** The walk continues below this sequence; null: it has ended. */
  readonly next: number | null;
}

/** Entries are in the order of their commits. Their times may differ from this order by this much, after a clock was set back. */
export const clockSlackMs = 60 * 60 * 1000;
/** Entries in a batch. Reading one takes some 10 µs: a worker serves other requests between batches. */
const batchSize = 25;
/** Bytes after which a batch ends: reading a MiB takes some 3 ms. */
const batchBytes = 64 * 1024;
const pause: AuditBatch = { matches: [], walked: 0, bytes: 0, next: null };

/**
 * Walks a ledger from the newest entry to the oldest that may match. Nothing is held open between two batches, and
 * entries that are appended meanwhile make no difference.
 * @param before the sequence below which to begin; null begins at the newest
 */
export function* walkAudit(
  queries: RecordQueries,
  ledgerId: string,
  filter: AuditFilter,
  before: number | null,
): Generator<AuditBatch> {
  let below = lower(before, yield* endOf(queries, ledgerId, filter.to));
  while (true) {
    const batch = readBatch(queries, ledgerId, filter, rangeOf(filter, below));
    yield batch;
    if (batch.next === null) return;
    below = batch.next;
  }
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function readBatch(
  queries: RecordQueries,
  ledgerId: string,
  filter: AuditFilter,
  range: AuditRange,
): AuditBatch {
  const matches: ChainedEntry[] = [];
  let [walked, bytes] = [0, 0];
  for (const chained of queries.auditOf(ledgerId, range)) {
    const { entry, sequence } = chained;
    if (filter.from !== null && entry.at < filter.from - clockSlackMs) break;
    walked += 1;
    bytes += chained.bytesRead;
    if (matchesAudit(filter, chained)) matches.push(chained);
    const isFull = walked === batchSize || bytes > batchBytes;
    if (isFull) return { matches, walked, bytes, next: sequence > 1 ? sequence : null };
  }
  return { matches, walked, bytes, next: null };
}

function rangeOf({ flagId, projectId }: AuditFilter, before: number | null): AuditRange {
  const subjectId = flagId ?? projectId;
  return { ...(before === null ? {} : { before }), ...(subjectId === null ? {} : { subjectId }) };
}

/**
 * @returns a sequence from which on no entry is older than `to`, found by binary search; null when the walk has to
 * begin at the newest.
 */
function* endOf(
  queries: RecordQueries,
  ledgerId: string,
  to: number | null,
): Generator<AuditBatch, number | null> {
  if (to === null) return null;
  const newest = newestBelow(queries, ledgerId, null);
  const isTooNew = (head: SequencedHead | undefined) =>
    head !== undefined && head.entry.at >= to + clockSlackMs;
  if (newest === undefined || !isTooNew(newest)) return null;
  let [older, tooNew] = [0, newest.sequence];
  while (tooNew - older > 1) {
    yield pause;
    const middle = Math.floor((older + tooNew) / 2);
    if (isTooNew(newestBelow(queries, ledgerId, middle + 1))) tooNew = middle;
    else older = middle;
  }
  return tooNew;
}

function newestBelow(
  queries: RecordQueries,
  ledgerId: string,
  before: number | null,
): SequencedHead | undefined {
  for (const head of queries.auditHeadsOf(ledgerId, before === null ? {} : { before })) return head;
  return undefined;
}
