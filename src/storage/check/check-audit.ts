import { chainHash, chainStart } from '../audit-chain.ts';
import { firstIdOf, sequenceOf } from '../keys.ts';
import type { StoredRecord } from '../record-source.ts';
import { type AuditRecord, auditRecord, decodeAuditEntry } from '../records/audit-record.ts';
import { type Finding, findingAt } from './finding.ts';
import type { StoreWalk } from './store-walk.ts';

interface ChainEnd {
  readonly ledgerId: string;
  readonly sequence: number;
  readonly hash: Uint8Array;
}

/** Each ledger's entries count from 1 without gaps, and each hash covers all before it. */
export function* checkAudit(walk: StoreWalk): Generator<Finding> {
  let end: ChainEnd = { ledgerId: '', sequence: 0, hash: chainStart };
  yield* walk.records(auditRecord, function* (stored) {
    const ledgerId = firstIdOf(stored.key);
    if (ledgerId !== end.ledgerId) end = { ledgerId, sequence: 0, hash: chainStart };
    yield* checkLink(stored, end);
    end = { ledgerId, sequence: sequenceOf(stored.key), hash: stored.record.hash };
  });
}

function* checkLink({ key, record }: StoredRecord<AuditRecord>, end: ChainEnd): Generator<Finding> {
  const finding = (what: string) => findingAt('audit', key, what);
  const follows = sequenceOf(key) === end.sequence + 1;
  if (!follows)
    yield finding(`follows entry ${end.sequence} of its ledger: entries between them are missing`);
  if (follows && !isSame(record.previousHash, end.hash))
    yield finding('does not continue the chain of hashes');
  if (!isSame(record.hash, chainHash(record.previousHash, record.encodedEntry))) {
    yield finding('its hash does not cover its content');
  }
  if (decodeAuditEntry(record.encodedEntry).ledgerId !== end.ledgerId) yield finding('is of another ledger');
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
