import type { AuditRange, RecordQueries } from '../record-queries.ts';
import type { ChainedEntry, SequencedHead } from './audit-entry.ts';
import { type AuditFilter, matchesAudit } from './audit-filter.ts';

/** A few entries of a ledger, newest first, and those of them that were asked for. */
export interface AuditBatch {
  readonly matches: readonly ChainedEntry[];
  readonly walked: number;
  /** What was read for it. */
  readonly bytes: number;
  /** The walk goes on below this sequence; null: there is nothing more. */
  readonly next: number | null;
}

/** Entries come in the order of their commits. Their times may be out of it by so much, where a clock was put back. */
export const clockSlackMs = 60 * 60 * 1000;
/** Reading one takes some 10 µs: a worker looks up for other work this often. */
const batchSize = 25;
/** Reading a MiB takes some 3 ms: after an entry that takes a batch beyond this, others are served. */
const batchBytes = 256 * 1024;
const pause: AuditBatch = { matches: [], walked: 0, bytes: 0, next: null };

/**
 * Walks a ledger from the newest entry down to the oldest that may match. Nothing is held open between two batches, and
 * what is appended meanwhile changes nothing.
 * @param before a sequence to begin below; null begins at the newest
 */
export function* walkAudit(
  queries: RecordQueries,
  ledgerId: string,
  filter: AuditFilter,
  before: number | null,
): Generator<AuditBatch> {
  let below = lower(before, yield* endOf(queries, ledgerId, filter.to));
  while (true) {
    const batch = readBatch(queries, ledgerId, filter, below);
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
  below: number | null,
): AuditBatch {
  const matches: ChainedEntry[] = [];
  let [walked, bytes] = [0, 0];
  for (const chained of queries.auditOf(ledgerId, rangeOf(filter, below))) {
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
 * @returns a sequence from which on no entry is older than `to`, found by halving; null when the walk has to begin at the
 *   newest.
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
