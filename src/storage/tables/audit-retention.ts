import { auditSubjects } from '../../domain/audit/audit-entry.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { firstIdOf, rangeOf, sequenceOf } from '../keys/key-parts.ts';
import type { WriteTarget } from '../write-target.ts';
import { newestAuditSequence } from './audit.ts';
import { auditRecord, auditSubjectKey, decodeAuditHead } from './audit-record.ts';
import { type AuditAnchor, auditAnchorKey, auditAnchorRecord } from './meta.ts';

/** Entries dropped with one commit: few, so that no change waits long, but more than most commits add. */
export const droppedPerCommitMax = 256;
const droppedBytesMax = 1024 * 1024;
/** How often a ledger without old entries is checked: reading its oldest entry may be megabytes. */
const lookEveryMs = 1000;

interface OldEntries {
  readonly removals: readonly { readonly key: Buffer; readonly indexKeys: readonly Buffer[] }[];
  readonly anchor: AuditAnchor | null;
  /** There may be more to drop. */
  readonly isCut: boolean;
}

/** Drops entries beyond their retention from the old ends of the ledgers, one ledger after another. */
export class AuditRetention {
  #ledgerId: string | null = null;
  /** The ledger has more to drop than one commit takes. */
  #isBehind = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param olderThan Unix milliseconds: earlier entries are dropped. A ledger's newest entry stays at any age.
   * @throws DamagedRecordError when an entry cannot be read; its ledger is left alone until the next check of it
   */
  drop(target: WriteTarget, olderThan: number): void {
    const now = monotonicMs();
    if (now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    const ledgerId = this.#isBehind
      ? this.#ledgerId
      : (nextLedger(target, this.#ledgerId) ?? nextLedger(target, null));
    this.#ledgerId = ledgerId;
    this.#isBehind = false;
    if (ledgerId === null) return;
    // Everything is read before anything is removed: an unreadable entry changes nothing.
    const { removals, anchor, isCut } = oldEntriesOf(target, ledgerId, olderThan);
    if (anchor === null) return;
    for (const { key, indexKeys } of removals) {
      target.remove('audit', key);
      for (const indexKey of indexKeys) target.remove('audit-by-subject', indexKey);
    }
    target.put(auditAnchorRecord, auditAnchorKey(ledgerId), anchor);
    this.#isBehind = isCut;
    // The next commit continues, with this ledger or the next.
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }
}

function nextLedger({ source }: WriteTarget, after: string | null): string | null {
  const start = after === null ? {} : { start: rangeOf(after).end };
  for (const key of source.keys('audit', { ...start, limit: 1 })) return firstIdOf(key);
  return null;
}

function oldEntriesOf({ source }: WriteTarget, ledgerId: string, olderThan: number): OldEntries {
  const newest = newestAuditSequence(source, ledgerId);
  const removals: { key: Buffer; indexKeys: readonly Buffer[] }[] = [];
  let anchor: AuditAnchor | null = null;
  let [bytes, isCut] = [0, false];
  for (const { key, record } of source.records(auditRecord, rangeOf(ledgerId))) {
    const sequence = sequenceOf(key);
    const { head } = decodeAuditHead(record.encodedEntry);
    if (sequence >= newest || head.at >= olderThan) break;
    const indexKeys = auditSubjects(head).map((id) => auditSubjectKey(ledgerId, id, sequence));
    removals.push({ key, indexKeys });
    anchor = { sequence, hash: record.hash };
    bytes += record.encodedEntry.length;
    isCut = removals.length >= droppedPerCommitMax || bytes >= droppedBytesMax;
    if (isCut) break;
  }
  return { removals, anchor, isCut };
}
